"""Reads an action for a page, and keeps its answer by its inputs: opening the page again asks nobody."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping
from typing import Any

from connector.core.callers import Invoker
from connector.core.errors import InputError
from connector.core.manifest.model import Action
from connector.core.writes.marks import digest
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.figures.labels import FigureLabel, label_of
from connector.interfaces.console.forms.form_model import query_of
from connector.interfaces.console.forms.option_names import option_names
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page
from connector.store.runs import forms
from connector.store.runs.forms import KeptAnswer

MAX_OFFERED = 10
"""Of the answers that are kept, how many are offered to somebody who has chosen nothing yet."""


class LastAnswers:
    """The answers of one action in the visitor's workspace, each under its own inputs."""

    def __init__(self, page: Page, action: Action, names: Mapping[str, str] | None = None) -> None:
        """`names` says what options are called that need no looking up."""
        self._page, self._action, self._names = page, action, names or {}

    @property
    def _console(self) -> ConsoleContext:
        return self._page.console

    def digest(self, inputs: Mapping[str, Any]) -> str | None:
        """Return what tells these inputs from all others; None while they cannot be read."""
        try:
            return digest(self._action.id, self._console.connector.inputs(self._action).clean(inputs))
        except InputError:
            return None

    def query(self, inputs: Mapping[str, Any]) -> dict[str, str]:
        """Return inputs as they stand in an address: read where they can be, else as they were typed."""
        try:
            return query_of(self._console.connector.inputs(self._action).clean(inputs))
        except InputError:
            return query_of(inputs)

    async def latest(self, inputs: Mapping[str, Any]) -> KeptAnswer | None:
        """Return the answer with these inputs, if one is kept; nothing is sent."""
        wanted, now = self.digest(inputs), self._console.state.context.now()
        if wanted is None:
            return None
        workspace, credential_id = await gather(self._console.workspace(), self._console.credential_id())
        return await self._console.read(
            lambda connection: forms.latest_answer(connection, workspace, credential_id, self._action.id, now, wanted)
        )

    async def kept(self) -> list[KeptAnswer]:
        """Return what is kept in the workspace, the newest first."""
        now = self._console.state.context.now()
        workspace, credential_id = await gather(self._console.workspace(), self._console.credential_id())
        return await self._console.read(
            lambda connection: forms.list_answers(
                connection, workspace, credential_id, self._action.id, now, MAX_OFFERED
            )
        )

    async def read(self, inputs: Mapping[str, Any]) -> KeptAnswer:
        """Run the action, and keep its answer."""
        session = await self._console.session()
        invoker = Invoker("console", self._console.source.origin, self._console.actor)
        result = await session.invoke(self._action.id, dict(inputs), invoker=invoker)
        return await self.keep(inputs, result.output)

    async def keep(self, inputs: Mapping[str, Any], output: Any, *, kept: bool = True) -> KeptAnswer:
        """Return an answer that was read just now with the names of its options, and keep it unless told otherwise."""
        page, cleaned = self._page, self._console.connector.inputs(self._action).clean(inputs)
        unnamed = {name: value for name, value in cleaned.items() if name not in self._names}
        names = await option_names(page, self._action, unnamed, PageCalls(self._console))
        answer = KeptAnswer(cleaned, output, self._console.state.context.now(), {**names, **self._names})
        if not kept:
            return answer
        workspace, credential_id = await gather(self._console.workspace(), self._console.credential_id())
        contents = digest(self._action.id, cleaned)
        await self._console.write(
            lambda connection: forms.keep_answer(
                connection, workspace, credential_id, self._action.id, contents, answer
            )
        )
        return answer

    async def label(self, answer: KeptAnswer) -> FigureLabel:
        """Return what an answer belongs to."""
        library, localize = self._console.connector.library, self._page.localize
        workspace = await self._console.workspace()
        return label_of(
            self._action,
            answer.inputs,
            answer.kept_at,
            localize,
            library,
            names=answer.names,
            workspace=workspace,
            output=answer.output,
        )
