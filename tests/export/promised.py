"""The actions that are promised to be in every package, as far as its format can hold them."""

from __future__ import annotations

from declared_manifests import ACTIONS

PROMISED = frozenset().union(*ACTIONS.values())
