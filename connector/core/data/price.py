"""What a day of a trigger costs, from its manifest: polls that are made though nothing moves.

The price of a day as a sentence, for forms and descriptions on every platform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connector.core.messages import Text, say

TYPE_CHECKING = False  # importing typing would slow down the start of the command line

DAY_SECONDS = 86_400
QUIET_SECONDS = 12 * 3600
"""A paid list with free signs is read at least this often, whatever the signs show."""
QUIET_SECONDS_WITHOUT_SIGNS = QUIET_SECONDS // 2
"""The same where the signs cannot be read."""
ROUNDING = 1e-6
MAX_STATELESS_PAGES = 10
"""How many pages a poll reads at most where no place in the list is kept; the core in TypeScript has the same."""


def credits_a_day(tree: Mapping[str, Any]) -> Any:
    """Return the credits of a day without movement, on a host or a platform that keeps state."""
    if tree["source"] != "poll":
        return 0
    return tree["cost"]["credits"] * -(-DAY_SECONDS // _between_polls(tree))


def paid_polls_a_day(tree: Mapping[str, Any]) -> int:
    """Return the ceiling of paid polls a day; 0 where polling is free."""
    if tree["source"] != "poll" or not tree["cost"]["credits"]:
        return 0
    interval = tree["interval"]
    return int(interval.get("paid_a_day") or -(-DAY_SECONDS // interval["least"]))


class PaidPolls:
    """The paid polls that a trigger may make now: some at once, then one now and then, never more in any 24 hours."""

    def __init__(self, most: int, former: Sequence[Any] | None, now: float) -> None:
        """`former` is what `spend` gave after the last poll; times are seconds since 1970."""
        self._at_once = -(-most // 2)
        self._a_day = most + 1 - self._at_once  # the last of them comes when the day is over
        self._now = now
        left, at = map(float, former or (self._at_once, now))
        # A time ahead of us was written by a wrong clock, which must not stop anything.
        self.left = (
            float(self._at_once) if at > now else min(self._at_once, left + (now - at) * self._a_day / DAY_SECONDS)
        )

    @property
    def may_poll(self) -> bool:
        """Whether another poll is allowed now."""
        return self.left >= 1 - ROUNDING

    @property
    def next_at(self) -> float:
        """When the next poll is allowed."""
        return self._now + max(0.0, 1 - self.left) * DAY_SECONDS / self._a_day

    def spend(self, polls: float) -> list[float]:
        """Return what to keep after so many polls."""
        return [round(self.left - polls, 6), self._now]


def has_free_signs(tree: Mapping[str, Any]) -> bool:
    """Whether a poll is paid only when a free list shows that something moved."""
    return "shared" in tree.get("poll", {})


def credits_of_whole_polls(tree: Mapping[str, Any], *, signs: bool = True) -> tuple[Any, Any]:
    """Return the least and the most credits of a day without movement where every poll reads the list anew.

    The platform keeps when it looked last, but no place in the list; `signs` says whether free ones can be read.
    """
    if tree["source"] != "poll":
        return 0, 0
    quiet = QUIET_SECONDS if signs else QUIET_SECONDS_WITHOUT_SIGNS
    seconds = quiet if has_free_signs(tree) else int(tree["interval"]["least"])
    least = tree["cost"]["credits"] * -(-DAY_SECONDS // seconds)
    return least, least * pages_of_poll(tree)


def pages_of_poll(tree: Mapping[str, Any]) -> int:
    """Return how many pages a poll reads at most where no place in the list is kept."""
    return MAX_STATELESS_PAGES if {"by_id", "progress"} & tree.get("poll", {}).keys() else 1


def credits_on_schedule(tree: Mapping[str, Any], seconds: int) -> Any:
    """Return the credits of a day on a platform that keeps nothing and asks as often as its schedule says."""
    return tree["cost"]["credits"] * -(-DAY_SECONDS // seconds) if tree["source"] == "poll" else 0


def _between_polls(tree: Mapping[str, Any]) -> int:
    interval = tree["interval"]
    return QUIET_SECONDS if has_free_signs(tree) else int(max(interval["usual"], interval["least"]))


def price_of_day(tree: Mapping[str, Any]) -> Text:
    """What a day costs where state is kept: on a host, or in a package that remembers its last poll."""
    credits = credits_a_day(tree)
    if not credits:
        return say("price_of_day_free")
    if has_free_signs(tree):
        most = tree["cost"]["credits"] * paid_polls_a_day(tree)
        return say("price_of_day_and_changes", cost=_amount(credits), most=_amount(most))
    return say("price_of_day", cost=_amount(credits))


def price_of_whole_polls(tree: Mapping[str, Any]) -> Text:
    """What a day costs where the last poll is remembered, but no place in the list, so that each pays for all pages."""
    least, most = credits_of_whole_polls(tree)
    if not most:
        return say("price_of_day_free")
    if not has_free_signs(tree):
        return say("price_of_day", cost=_range(least, most))
    without = _range(*credits_of_whole_polls(tree, signs=False))
    return say("price_of_whole_polls", cost=_range(least, most), without=without)


def price_on_schedule(tree: Mapping[str, Any], seconds: int) -> Text:
    """What a day costs where every poll of the platform is a poll."""
    credits = credits_on_schedule(tree, seconds)
    if not credits:
        return say("price_of_day_free")
    return say("price_on_schedule", minutes=seconds // 60, cost=_amount(credits))


def _range(least: Any, most: Any) -> Text:
    return say("cost_range", least=least, cost=_amount(most)) if least < most else _amount(most)


def _amount(credits: Any) -> Text:
    return say("cost_one") if credits == 1 else say("cost_many", credits=credits)
