"""The actions that are promised to be in every package, as far as its format can hold them."""

from __future__ import annotations

from tests.manifests.declared_manifests import ACTION_PATHS, ACTIONS, tree_of

PICKING = frozenset(tree["id"] for tree in map(tree_of, ACTION_PATHS) if "pick" in tree["output"].get("shape", {}))
"""Those that take one entry out of the service's list, which needs Kontor: no form or document does it."""
PROMISED = frozenset().union(*ACTIONS.values())
