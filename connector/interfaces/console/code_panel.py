"""Shows the filled form as code in several languages, without the API key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.interfaces.console import snippets
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import (
    button,
    code_block,
    empty_note,
    flex_row,
    live_region,
    paragraph,
    show_error,
)

KINDS = ("cli", "curl", "kontor", "requests")


class CodePanel:
    """Builds itself into the current panel."""

    def __init__(
        self, page: Page, action: Action, inputs: Callable[[], dict[str, Any]], key: Callable[[], str | None]
    ) -> None:
        self._page, self._action, self._inputs, self._key = page, action, inputs, key
        with flex_row():
            for kind in KINDS:
                made = button(page.localize(f"code_{kind}"), lambda _, one=kind: self._show(one), "small")
                made.props["data-kind"] = kind
        self._container = live_region("code-place")
        with self._container:
            empty_note(page.localize("code_none"))

    async def _show(self, kind: str) -> None:
        try:
            text = await self._text(kind)
        except KontorError as error:
            self._container.clear()
            with self._container:
                show_error(error, self._page.localize)
            return
        except NoCredential:
            self._container.clear()
            with self._container:
                empty_note(self._page.localize("no_credential"))
            return
        self._container.clear()
        with self._container:
            code_block(text, self._page.localize)
            paragraph(self._page.localize(f"code_{kind}_note"), "quiet")

    async def _text(self, kind: str) -> str:
        """Generate the code from validated inputs."""
        console, id = self._page.console, self._action.id
        inputs = console.connector.inputs(self._action).clean(self._inputs())
        match kind:
            case "cli":
                return snippets.command_line(id, inputs, self._key())
            case "curl":
                return snippets.curl(console.host_url, id, inputs, self._key())
            case "kontor":
                return snippets.kontor_python(id, inputs, self._key())
            case _:
                session = await console.session()
                dry = await session.invoke(id, self._inputs(), key=self._key(), dry_run=True)
                return snippets.requests_python(dry.output)
