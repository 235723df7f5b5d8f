"""A person behind an agent, who is asked by elicitation."""

from __future__ import annotations

from typing import Any, Literal

from mcp import Client
from mcp_types import ElicitResult


class Person:
    """Answers every question the same way, and remembers what was asked."""

    def __init__(self, action: Literal["accept", "decline", "cancel"] = "accept", *, confirm: Any = True) -> None:
        self._answer = ElicitResult(action=action, content={"confirm": confirm} if action == "accept" else None)
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        return self._answer


def with_person(server: Any, person: Person | None = None, mode: str = "auto") -> Client:
    """A client whose person answers; by default with yes."""
    return Client(server, elicitation_callback=person or Person(), mode=mode)
