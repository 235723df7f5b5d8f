"""Keeps what was typed into a form over a lost connection, a restart of the host, a reload and signing in again.

The browser keeps it first, in its own storage: `drafts.js` writes down each key at once, and what the host has
taken follows from here. It belongs to one person in one workspace, is gone when that person signs out, and holds
neither files nor passwords; no form that is kept asks for an API key, a passphrase or a token.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from nicegui import Client, background_tasks, ui
from nicegui.client import ClientConnectionTimeout
from nicegui.element import Element

from connector.interfaces.console.forms.form_model import Draft

CONNECT_SECONDS, ANSWER_SECONDS, PAUSE_SECONDS = 10.0, 5.0, 0.3
"""How long the browser is waited for, then its answer, and how often at most a draft is sent to it."""
MAX_CHARACTERS = 200_000
_NAMES = re.compile(r"[^.\[\]]+")


class DraftKeeper:
    """The kept draft of one form; made while its page is built."""

    def __init__(self, form: str) -> None:
        self._form, self._client = form, ui.context.client
        self._latest: str | None = None
        self._pushing = False

    def mark(self, element: Element) -> None:
        """Let the browser keep what is typed into the fields of this element that say their path."""
        element.props["data-draft"] = self._form

    async def load(self) -> Draft | None:
        """Wait for the browser, and return what was typed before."""
        try:
            await self._client.connected(timeout=CONNECT_SECONDS)
            with self._client:
                kept = await ui.run_javascript(f"return {self._call('load')}", timeout=ANSWER_SECONDS)
        except (ClientConnectionTimeout, TimeoutError):
            return None
        if not isinstance(kept, dict):
            return None
        draft, typed = kept.get("draft"), kept.get("typed")
        return with_typed(draft if isinstance(draft, dict) else {}, typed if isinstance(typed, dict) else {})

    def save(self, draft: Mapping[str, Any]) -> None:
        """Keep what the form holds now."""
        text = json.dumps(_without_files(draft), default=str)
        if len(text) > MAX_CHARACTERS:
            return
        self._latest = text
        if not self._pushing:
            self._pushing = True
            background_tasks.create(self._push())

    def forget(self) -> None:
        """Drop what was typed: it was sent, or is not wanted."""
        self._latest = None
        self._run(self._call("forget"))

    async def _push(self) -> None:
        while self._latest is not None:
            text, self._latest = self._latest, None
            self._run(self._call("save", text))
            await asyncio.sleep(PAUSE_SECONDS)
        self._pushing = False

    def _run(self, code: str) -> None:
        if self._client.id in Client.instances:  # else the page is gone, and the browser keeps what it has
            self._client.run_javascript(code)

    def _call(self, function: str, *arguments: str) -> str:
        return f"kontorDrafts.{function}({', '.join([json.dumps(self._form), *arguments])})"


def with_typed(draft: Draft, typed: Mapping[str, Any]) -> Draft:
    """Return a draft with what was typed since, by the paths of the fields; a path that leads nowhere is left out."""
    merged: Draft = json.loads(json.dumps(draft))
    for path, text in typed.items():
        *outer, last = _NAMES.findall(path)
        place: Any = merged
        for name in outer:
            place = _inside(place, name)
        if isinstance(place, dict) and isinstance(text, str):
            place[last] = text
    return merged


def _inside(place: Any, name: str) -> Any:
    if isinstance(place, list):
        return place[int(name)] if name.isdigit() and int(name) < len(place) else None
    return place.get(name) if isinstance(place, dict) else None


def _without_files(value: Any) -> Any:
    if isinstance(value, bytes):
        return None
    if isinstance(value, Mapping):
        return {name: _without_files(item) for name, item in value.items()}
    return [_without_files(item) for item in value] if isinstance(value, list | tuple) else value
