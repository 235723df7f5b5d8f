"""The filled form as code: pick a kind, copy it. The service's key never stands in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console import snippets
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import abreast, button, code, empty, live_region, paragraph, show_error

KINDS = ("cli", "curl", "kontor", "requests")


class CodePanel:
    """Builds itself into the panel around it."""

    def __init__(
        self, visit: Visit, action: Action, inputs: Callable[[], dict[str, Any]], key: Callable[[], str | None]
    ) -> None:
        self._visit, self._action, self._inputs, self._key = visit, action, inputs, key
        with abreast():
            for kind in KINDS:
                made = button(visit.localize(f"code_{kind}"), lambda _, one=kind: self._show(one), "small")
                made.props["data-kind"] = kind
        self._place = live_region("code-place")
        with self._place:
            empty(visit.localize("code_none"))

    async def _show(self, kind: str) -> None:
        try:
            text = await self._text(kind)
        except KontorError as error:
            self._place.clear()
            with self._place:
                show_error(error, self._visit.localize)
            return
        except NoCredential:
            self._place.clear()
            with self._place:
                empty(self._visit.localize("no_credential"))
            return
        self._place.clear()
        with self._place:
            code(text, self._visit.localize)
            paragraph(self._visit.localize(f"code_{kind}_note"), "quiet")

    async def _text(self, kind: str) -> str:
        """Written from the checked inputs; what does not pass the checks is told before it is copied."""
        desk, id = self._visit.desk, self._action.id
        inputs = desk.connector.inputs(self._action).clean(self._inputs())
        match kind:
            case "cli":
                return snippets.command_line(id, inputs, self._key())
            case "curl":
                return snippets.curl(desk.host_url, id, inputs, self._key())
            case "kontor":
                return snippets.kontor_python(id, inputs, self._key())
            case _:
                session = await desk.session()
                dry = await session.invoke(id, self._inputs(), key=self._key(), dry_run=True)
                return snippets.requests_python(dry.output)
