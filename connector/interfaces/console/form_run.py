"""The run of a filled form: however often and wherever the button is pressed, the same contents are one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from connector.core.call_source import Invoker
from connector.core.digest import digest
from connector.core.manifest.model import Action
from connector.interfaces.console.console_context import ConsoleContext
from connector.runtime.result import Result
from connector.store import form_keys


def _new_key() -> str:
    return f"console-{uuid4()}"


@dataclass(eq=False, slots=True)
class _FilledForm:
    """The contents of a form, and the key under which they are sent."""

    inputs: dict[str, Any]
    filled_at: datetime
    key: str = field(default_factory=_new_key)
    sent: bool = False
    """Whether they were sent from this page."""


class FormRun:
    """Sends the form of one page. Its key lasts as long as the contents stay the same."""

    def __init__(self, console: ConsoleContext, action: Action) -> None:
        self._console, self._action = console, action
        self._filled = _FilledForm({}, console.state.context.now())

    @property
    def key(self) -> str | None:
        """The key of the contents; None where a repeat does no harm and is meant."""
        return self._filled.key if self._action.repeat == "duplicates" else None

    def fill(self, inputs: dict[str, Any]) -> None:
        """Take note of what the form holds now. Other contents are another run."""
        if inputs != self._filled.inputs:
            self._filled = _FilledForm(inputs, self._console.state.context.now())

    async def send(self, inputs: dict[str, Any], *, again: bool = False) -> Result:
        """Run the action with these inputs, once; `again` makes it a further run."""
        self.fill(inputs)
        filled = self._filled  # while this waits, the person may fill in something else
        session = await self._console.session()
        invoker = Invoker("console", self._console.source.origin, self._console.actor)
        if self.key is None:
            return await session.invoke(self._action.id, inputs, invoker=invoker)
        await self._claim_key(filled, again)
        return await session.invoke(self._action.id, inputs, key=filled.key, again=again, invoker=invoker)

    async def _claim_key(self, filled: _FilledForm, again: bool) -> None:
        """Agree on the key with other tabs that hold the same contents."""
        now, credential_id = self._console.state.context.now(), await self._console.credential_id()
        contents = digest(self._action.id, self._console.connector.inputs(self._action).clean(filled.inputs))
        if again:
            fresh = _new_key()
            filled.key = await self._console.write(
                lambda connection: form_keys.replace(connection, credential_id, contents, fresh, filled.key, now)
            )
        elif not filled.sent:
            filled.key = await self._console.write(
                lambda connection: form_keys.claim(
                    connection, credential_id, contents, filled.key, filled.filled_at, now
                )
            )
        filled.sent = True
