"""Keeps what was typed into a form over a reload, a switch of language and signing in again, in the tab's own memory.

It lives in this process, for one browser tab and one person, and holds no files. No form asks for an API key.
"""

from __future__ import annotations

import json
from typing import Any

from nicegui import app, ui
from nicegui.client import ClientConnectionTimeout

from connector.interfaces.console.forms.form_model import Draft
from connector.interfaces.console.frame.page_frame import Page

CONNECT_SECONDS = 10.0
MAX_CHARACTERS = 200_000


class DraftKeeper:
    """The kept draft of one form."""

    def __init__(self, page: Page, form: str) -> None:
        actor = page.console.actor
        self._name = f"draft {actor.workspace or ''} {actor.name} {form}"

    async def load(self) -> Draft | None:
        """Wait for the browser, and return what was typed before."""
        try:
            await ui.context.client.connected(timeout=CONNECT_SECONDS)
        except ClientConnectionTimeout:
            return None
        text = self._storage().get(self._name)
        found: Draft | None = json.loads(text) if isinstance(text, str) else None
        return found

    def save(self, draft: Draft) -> None:
        """Keep what is typed now."""
        text = json.dumps(_without_files(draft), default=str)
        if len(text) <= MAX_CHARACTERS:
            self._storage()[self._name] = text

    def forget(self) -> None:
        """Drop what was typed: it was sent."""
        self._storage().pop(self._name, None)

    def _storage(self) -> Any:
        try:
            return app.storage.tab
        except (RuntimeError, AssertionError):
            return {}  # the browser is gone


def _without_files(value: Any) -> Any:
    if isinstance(value, bytes):
        return None
    if isinstance(value, dict):
        return {name: _without_files(item) for name, item in value.items()}
    return [_without_files(item) for item in value] if isinstance(value, list) else value
