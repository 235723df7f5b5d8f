"""What the accounting provider says of a write, as the control setting `provider_answer` asks for it."""

from __future__ import annotations

from typing import Any

from connector.sandbox.ledger import assumptions
from connector.sandbox.world import World


def provider_answer(world: World, usual: dict[str, Any]) -> dict[str, Any]:
    """Return the usual answer, or one that reports something unusual or an error."""
    wanted = world.settings.provider_answer
    if wanted == "success":
        return usual
    status, kind, text = assumptions.RESULTS[wanted]
    first = {**usual["meldungen"][0], "nachricht": text, "typ": kind}
    return {**usual, "status": status, "meldungen": [first, *usual["meldungen"][1:]]}
