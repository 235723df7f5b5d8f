"""The run of a filled form: however often and wherever the button is pressed, the same contents are one run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.core.callers import Invoker
from connector.core.manifest.model import Action
from connector.core.writes.marks import digest
from connector.interfaces.console.console_context import ConsoleContext
from connector.runtime.result import Result
from connector.store.runs import forms, runs
from connector.store.runs.runs import Run
from connector.store.trust import workspaces

if TYPE_CHECKING:
    from sqlalchemy import Connection

LOOK_SECONDS = 0.05
"""How often to look whether the run is recorded."""
UNDER_WAY = frozenset({"awaiting_approval", "claimed", "sending"})


_UNDER_WAY: set[asyncio.Task[Result]] = set()
"""Keeps tasks alive whose page was left."""


def _end(work: asyncio.Task[Result]) -> None:
    _UNDER_WAY.discard(work)
    if not work.cancelled():
        work.exception()  # told where it is awaited, and kept in its run


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


class Sending:
    """A run on its way. It goes on when the page is left."""

    def __init__(self, console: ConsoleContext, key: str | None, work: asyncio.Task[Result]) -> None:
        self._console, self._key = console, key
        self.work = work
        _UNDER_WAY.add(work)
        work.add_done_callback(_end)

    async def run_id(self) -> str | None:
        """Wait until the run is under way or has ended, and return its id; None when it ended without one.

        Under the key of an earlier run that was settled or refused, that one is found first: it says nothing of this.
        """
        if self._key is None:
            return (await self.work).run
        workspace, key = await self._console.workspace(), self._key
        while True:
            ended = self.work.done()
            found = await self._console.read(lambda connection: runs.find_by_key(connection, workspace, key))
            if ended or (found is not None and found.state in UNDER_WAY):
                return found.id if found is not None else None
            await asyncio.wait([self.work], timeout=LOOK_SECONDS)


class FormRun:
    """Sends the form of one page. Its key lasts as long as the contents stay the same."""

    def __init__(self, console: ConsoleContext, action: Action) -> None:
        self._console, self._action = console, action
        self._filled = _FilledForm({}, console.state.context.now())

    @property
    def key(self) -> str | None:
        """The key of the contents; None for a read."""
        return self._filled.key if self._action.writes else None

    def fill(self, inputs: dict[str, Any]) -> None:
        """Take note of what the form holds now. Other contents are another run."""
        if inputs != self._filled.inputs:
            self._filled = _FilledForm(inputs, self._console.state.context.now())

    async def start(self, inputs: dict[str, Any], *, again_after: Run | None = None) -> Sending:
        """Begin to run the action with these inputs, once.

        `again_after` is an equal run after which it is meant once more; of two who repeat it at once both make the
        same further run.
        """
        self.fill(inputs)
        filled = self._filled  # while this waits, the person may fill in something else
        session = await self._console.session()
        invoker = Invoker("console", self._console.source.origin, self._console.actor)
        again = again_after is not None
        if self._action.repeat == "duplicates":
            await self._claim_key(filled, again_after)
        key = filled.key if self._action.writes else None
        work = session.invoke(self._action.id, inputs, key=key, again=again, invoker=invoker)
        return Sending(self._console, key, asyncio.create_task(work))

    async def _claim_key(self, filled: _FilledForm, again_after: Run | None) -> None:
        """Agree on the key with other tabs that hold the same contents."""
        now, credential_id = self._console.state.context.now(), await self._console.credential_id()
        contents = digest(self._action.id, self._console.connector.inputs(self._action).clean(filled.inputs))
        if again_after is not None:
            fresh, repeated = filled.key if not filled.sent else _new_key(), again_after
            filled.key = await self._console.write(
                lambda connection: forms.replace_form_run(connection, credential_id, contents, fresh, repeated, now)
            )
        elif not filled.sent:
            workspace = await self._console.workspace()

            def claim(connection: Connection) -> str:
                window = timedelta(minutes=workspaces.find_policy(connection, workspace).repeat_minutes)
                return forms.claim_form(connection, credential_id, contents, filled.key, filled.filled_at - window, now)

            filled.key = await self._console.write(claim)
        filled.sent = True
