"""What a day of a trigger costs, from its manifest: looks that are made though nothing moves."""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False  # importing typing would slow down the start of the command line
if TYPE_CHECKING:
    from typing import Any

DAY_SECONDS = 86_400
QUIET_SECONDS = 12 * 3600
"""A paid list with free signs is read at least this often, whatever the signs show."""


def credits_a_day(tree: Mapping[str, Any]) -> Any:
    """Return the credits of a day without movement, on a host or a platform that keeps state."""
    if tree["source"] != "poll":
        return 0
    return tree["cost"]["credits"] * -(-DAY_SECONDS // _between_looks(tree))


def has_free_signs(tree: Mapping[str, Any]) -> bool:
    """Whether a look is paid only when a free list shows that something moved."""
    return "shared" in tree.get("poll", {})


def credits_on_schedule(tree: Mapping[str, Any], seconds: int) -> Any:
    """Return the credits of a day on a platform that keeps nothing and asks as often as its schedule says."""
    return tree["cost"]["credits"] * -(-DAY_SECONDS // seconds) if tree["source"] == "poll" else 0


def _between_looks(tree: Mapping[str, Any]) -> int:
    interval = tree["interval"]
    return QUIET_SECONDS if has_free_signs(tree) else int(max(interval["usual"], interval["least"]))
