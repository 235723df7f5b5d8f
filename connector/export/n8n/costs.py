"""What a run or a poll costs, as a notice in its form."""

from __future__ import annotations

from connector.core.manifest.model import Cost
from connector.core.messages import say
from connector.export.n8n.wording import word


def cost_notice(name: str, cost: Cost, lang: str) -> str:
    """What it costs, and what the manifest notes about that; empty when it is free."""
    amount = say("cost_one") if cost.credits == 1 else say("cost_many", credits=cost.credits)
    told = word(name, lang, cost=amount) if cost.credits else ""
    note = cost.note.in_(lang) if cost.note and (cost.credits or cost.assumed) else ""
    return " ".join(filter(None, (told, note)))
