"""Reads an action for a page, and keeps its answer: opening the page again asks nobody."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping
from typing import Any

from connector.core.call_source import Invoker
from connector.core.digest import digest
from connector.core.manifest.model import Action
from connector.interfaces.console.console_context import ConsoleContext
from connector.store import kept_answers
from connector.store.kept_answers import KeptAnswer


class LastAnswers:
    """The answers of one action in the visitor's workspace."""

    def __init__(self, console: ConsoleContext, action: Action) -> None:
        self._console, self._action = console, action

    async def latest(self, inputs: Mapping[str, Any] | None = None) -> KeptAnswer | None:
        """Return the newest answer that is kept, with these inputs if there are some; nothing is sent."""
        workspace, credential_id = await gather(self._console.workspace(), self._console.credential_id())
        wanted = self._digest(inputs) if inputs is not None else None
        now = self._console.state.context.now()
        return await self._console.read(
            lambda connection: kept_answers.latest(connection, workspace, credential_id, self._action.id, now, wanted)
        )

    async def read(self, inputs: Mapping[str, Any]) -> KeptAnswer:
        """Run the action, and keep its answer."""
        session = await self._console.session()
        invoker = Invoker("console", self._console.source.origin, self._console.actor)
        result = await session.invoke(self._action.id, dict(inputs), invoker=invoker)
        answer = KeptAnswer(dict(inputs), result.output, self._console.state.context.now())
        workspace, credential_id = await self._console.workspace(), await self._console.credential_id()
        contents = self._digest(inputs)
        await self._console.write(
            lambda connection: kept_answers.keep(
                connection, workspace, credential_id, self._action.id, contents, answer
            )
        )
        return answer

    def _digest(self, inputs: Mapping[str, Any]) -> str:
        return digest(self._action.id, self._console.connector.inputs(self._action).clean(inputs))
