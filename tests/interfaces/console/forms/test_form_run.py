"""A form that is sent under the key of an earlier run: its page shows this sending, not how the earlier one ended."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from connector.interfaces.console.forms.form_run import Sending


class Console:
    """A workspace with one run under the key."""

    def __init__(self, state: str | None) -> None:
        self.state = state

    async def workspace(self) -> str:
        return "default"

    async def read(self, _: Any) -> Any:
        return SimpleNamespace(id="run-1", state=self.state) if self.state else None


@pytest.mark.parametrize("earlier", [None, "settled", "refused", "unknown"])
@pytest.mark.parametrize("now", ["claimed", "sending", "awaiting_approval"])
async def test_the_page_of_a_run_is_shown_once_this_sending_is_under_way(earlier: str | None, now: str) -> None:
    console, go_on = Console(earlier), asyncio.Event()
    sending = Sending(console, "lauf-1", asyncio.create_task(go_on.wait()))  # type: ignore[arg-type]
    found = asyncio.create_task(sending.run_id())
    await asyncio.wait([found], timeout=0.3)
    assert not found.done(), "it says nothing of this sending"
    console.state = now
    assert await asyncio.wait_for(found, 10) == "run-1"
    go_on.set()


@pytest.mark.parametrize("state", ["done", "settled", "refused", "unknown"])
async def test_the_page_of_a_run_that_has_ended_is_shown(state: str) -> None:
    work = asyncio.create_task(asyncio.sleep(0))
    sending = Sending(Console(state), "lauf-1", work)  # type: ignore[arg-type]
    assert await asyncio.wait_for(sending.run_id(), 10) == "run-1"


async def test_what_ended_without_a_run_has_no_page() -> None:
    sending = Sending(Console(None), "lauf-1", asyncio.create_task(asyncio.sleep(0)))  # type: ignore[arg-type]
    assert await asyncio.wait_for(sending.run_id(), 10) is None
