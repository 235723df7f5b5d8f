"""What a form says of costs: of each run of an action, of each poll of a trigger, and of a day of polls."""

from __future__ import annotations

from connector.core.data.price import price_of_day
from connector.core.manifest.model import Action, Cost, Trigger
from connector.core.messages import Text, quote, say

NOTHING = quote("")


def run_costs(action: Action, sentence: str = "package_costs") -> Text:
    """What a run costs, and what the manifest notes about that; empty when it is free."""
    return _told(action.cost, sentence)


def poll_costs(trigger: Trigger) -> Text:
    """What a poll costs and what a day of polls does; empty for what is no poll."""
    each = _told(trigger.cost, "package_poll_costs")
    return _joined(each, price_of_day(trigger.raw))


def _told(cost: Cost, sentence: str) -> Text:
    amount = say("cost_one") if cost.credits == 1 else say("cost_many", credits=cost.credits)
    told = say(sentence, cost=amount) if cost.credits else NOTHING
    return _joined(told, cost.note if cost.note and (cost.credits or cost.assumed) else NOTHING)


def _joined(*texts: Text) -> Text:
    return Text(*(" ".join(filter(None, parts)) for parts in zip(*texts, strict=True)))
