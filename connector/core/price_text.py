"""The price of a day as a sentence, for forms and descriptions on every platform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.messages import Text, say
from connector.core.price import (
    credits_a_day,
    credits_of_whole_looks,
    credits_on_schedule,
    has_free_signs,
    paid_looks_a_day,
)


def price_of_day(tree: Mapping[str, Any]) -> Text:
    """What a day costs where state is kept: on a host, or in a package that remembers its last look."""
    credits = credits_a_day(tree)
    if not credits:
        return say("price_of_day_free")
    if has_free_signs(tree):
        most = tree["cost"]["credits"] * paid_looks_a_day(tree)
        return say("price_of_day_and_changes", cost=_amount(credits), most=_amount(most))
    return say("price_of_day", cost=_amount(credits))


def price_of_whole_looks(tree: Mapping[str, Any]) -> Text:
    """What a day costs where the last look is remembered, but no place in the list, so that each pays for all pages."""
    least, most = credits_of_whole_looks(tree)
    if not most:
        return say("price_of_day_free")
    if not has_free_signs(tree):
        return say("price_of_day", cost=_range(least, most))
    without = _range(*credits_of_whole_looks(tree, signs=False))
    return say("price_of_whole_looks", cost=_range(least, most), without=without)


def price_on_schedule(tree: Mapping[str, Any], seconds: int) -> Text:
    """What a day costs where every poll of the platform is a look."""
    credits = credits_on_schedule(tree, seconds)
    if not credits:
        return say("price_of_day_free")
    return say("price_on_schedule", minutes=seconds // 60, cost=_amount(credits))


def _range(least: Any, most: Any) -> Text:
    return say("cost_range", least=least, cost=_amount(most)) if least < most else _amount(most)


def _amount(credits: Any) -> Text:
    return say("cost_one") if credits == 1 else say("cost_many", credits=credits)
