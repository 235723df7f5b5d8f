"""Carries what was typed over a switch of language or theme, which loads the page anew.

The host still has the page that the browser left, with all that was typed into it. Where the new page has the same
fields in the same order, they are filled in again; passwords and files are not.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence
from typing import Any

from nicegui import Client, background_tasks, ui
from nicegui.client import ClientConnectionTimeout
from nicegui.elements.mixins.value_element import ValueElement

FIELDS = (ui.input, ui.textarea, ui.select, ui.checkbox, ui.radio)
CONNECT_SECONDS, WAIT_SECONDS, STEP_SECONDS = 10.0, 5.0, 0.1
"""How long the browser, and then fields that are built late, are waited for."""


class OpenPages:
    """The page that each address of one signed-in browser was last open at, and how it looked."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[weakref.ref[Client], tuple[str, str]]] = {}
        self._clients: weakref.WeakSet[Client] = weakref.WeakSet()

    def opened(self, client: Client, address: str, look: tuple[str, str]) -> None:
        """Take note of a page with its language and theme; one that replaces the same page in others is filled in."""
        self._clients.add(client)
        former, self._pages[address] = self._pages.get(address), (weakref.ref(client), look)
        left = former[0]() if former is not None else None
        if former is not None and left is not None and former[1] != look:
            typed = [(type(one), one.value) for one in fields_of(left)]
            background_tasks.create(_fill_in(client, typed))

    def reload_others(self, own: Client) -> None:
        """Load all open pages but one anew: what they show belongs to the workspace that was left."""
        for client in list(self._clients):
            if client is not own:
                client.run_javascript("window.location.reload()")


def fields_of(client: Client) -> list[ValueElement[Any]]:
    """Return the fields of a page in their order."""
    fields = [one for one in client.elements.values() if isinstance(one, FIELDS) and not one.is_deleted]
    return [one for one in fields if one.props.get("type") != "password"]


async def _fill_in(client: Client, typed: Sequence[tuple[type, Any]]) -> None:
    try:
        await client.connected(timeout=CONNECT_SECONDS)
    except ClientConnectionTimeout:
        return
    for _ in range(int(WAIT_SECONDS / STEP_SECONDS)):
        fields = fields_of(client)
        if [type(one) for one in fields] == [kind for kind, _ in typed]:
            for field, (_, value) in zip(fields, typed, strict=True):
                _write(field, value)
            return
        await asyncio.sleep(STEP_SECONDS)


def _write(field: ValueElement[Any], value: Any) -> None:
    if field.value == value or (isinstance(field, ui.select) and value not in field.options):
        return
    with field:
        field.set_value(value)
