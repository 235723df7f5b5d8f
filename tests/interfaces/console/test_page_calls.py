"""Opening a page asks the service nothing for a viewer, and at most a few free calls for anybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from connector.core.callers import Actor, Role
from connector.core.service_facts import payment_states
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.frame.page_calls import MAX_CALLS, PageCalls
from connector.interfaces.console.home.attention_items import AttentionItem, attention_items
from connector.interfaces.console.runs.payees import listed_payments, payments_to
from connector.interfaces.console.runs.run_view import MAX_STATUS_CALLS, PaymentWatch
from connector.store.triggers import bank_connections, events
from connector.store.triggers.events import IncomingEvent
from tests.interfaces.console.running_console import RunningConsole, resting_console
from tests.support.running_sandbox import RunningSandbox

T = TypeVar("T")


@pytest.fixture
def console(tmp_path: Path) -> Iterator[RunningConsole]:
    with resting_console(tmp_path) as console:
        yield console


def signed_in(console: RunningConsole, role: Role) -> ConsoleContext:
    return ConsoleContext(console.state, "/console", Actor("a", role))


def wait(work: Awaitable[T]) -> T:
    async def run() -> T:
        return await work

    return asyncio.run(run())


def know_banks(console: RunningConsole, *ids: str) -> str:
    """Let the store know bank connections, as payments and polls do."""
    state, id = console.state, wait(signed_in(console, "admin").credential_id())
    now = state.context.now()
    for one in ids:
        state.database.write(lambda c, one=one: bank_connections.save(c, id, one, {}, now)).result()
    return id


def requests(console: RunningConsole) -> list[Any]:
    return RunningSandbox(console.sandbox).requests()


async def attention(console: ConsoleContext, calls: PageCalls) -> list[AttentionItem]:
    return await attention_items(console, calls)


def test_a_viewers_overview_asks_nothing_and_shows_what_events_told(console: RunningConsole) -> None:
    id = know_banks(console, "4711", "4712")
    body = '{"event": "connection_error", "data": {"connection_id": "4711"}, "received_at": "2026-11-16T10:00:00Z"}'
    state, now = console.state, console.state.context.now()
    told = IncomingEvent(id, "event-1", "connection_error", body)
    state.database.write(lambda c: events.insert(c, [told], now)).result()
    state.database.write(lambda c: events.set_state(c, [1], "fired", now)).result()
    before, visitor = requests(console), signed_in(console, "viewer")
    calls = PageCalls(visitor)
    items = wait(attention(visitor, calls))
    assert requests(console) == before
    assert [one.values["error"].en for one in items if one.message == "need_bank_error"] == [
        "The bank connection 4711 reports an error."
    ]
    assert calls.left_out


@pytest.mark.parametrize("role", ["operator", "approver"])
def test_the_overview_of_others_asks_for_a_few_banks_only(console: RunningConsole, role: Role) -> None:
    know_banks(console, *(str(number) for number in range(5000, 5040)))
    before, visitor = len(requests(console)), signed_in(console, role)
    calls = PageCalls(visitor)
    wait(attention(visitor, calls))
    assert 0 < len(requests(console)) - before <= MAX_CALLS
    assert calls.left_out


def test_what_comes_from_the_cache_is_no_call(console: RunningConsole) -> None:
    visitor = signed_in(console, "operator")
    calls, lookup = PageCalls(visitor, 2), console.state.connector.roles["bank_connection_options"]

    async def ask_often() -> list[bool]:
        return [(found := await calls.options(lookup, {})) is not None and found.cached for _ in range(5)]

    assert wait(ask_often()) == [False, True, True, True, True]
    assert not calls.left_out


def test_a_viewer_hears_of_a_payment_only_what_is_stored(console: RunningConsole) -> None:
    watch, now = PaymentWatch(signed_in(console, "viewer"), "p1"), console.state.context.now()
    before = requests(console)
    wait(watch.look(0.0))
    watch.hear(next(iter(payment_states().final)), now)
    assert requests(console) == before
    assert watch.status in payment_states().final


def test_a_page_that_stays_open_stops_asking_for_its_payment(console: RunningConsole) -> None:
    watch, before = PaymentWatch(signed_in(console, "operator"), "unknown"), len(requests(console))

    async def look_for_long() -> None:
        for second in range(MAX_STATUS_CALLS + 10):
            await watch.look(float(second * 60))

    wait(look_for_long())
    assert len(requests(console)) - before == MAX_STATUS_CALLS


def test_no_list_of_payments_is_no_proof_of_a_new_payee(console: RunningConsole) -> None:
    connector = console.state.connector
    assert wait(listed_payments(connector, PageCalls(signed_in(console, "viewer")))) is None
    assert payments_to(connector, None, "DE02120300000000202051") is None
    listed = wait(listed_payments(connector, PageCalls(signed_in(console, "approver"))))
    assert listed is not None
    assert payments_to(connector, listed, "DE02120300000000202051") == ()
