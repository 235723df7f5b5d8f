"""Opening a page asks the service nothing for a viewer, and at most a few free calls for anybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from connector.core.callers import Actor, Role
from connector.core.service_facts import payment_states
from connector.durable.banks import save_bank
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.runs.payees import listed_payments, payments_to
from connector.interfaces.console.runs.run_view import MAX_STATUS_CALLS, PaymentWatch
from connector.operations.attention import look_at_banks
from connector.store.triggers import due_work
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


def requests(console: RunningConsole) -> list[Any]:
    return RunningSandbox(console.sandbox).requests()


@pytest.mark.parametrize("role", ["viewer", "operator", "approver"])
def test_the_start_page_asks_nothing_itself_and_shows_what_is_stored(console: RunningConsole, role: Role) -> None:
    state, visitor = console.state, signed_in(console, role)
    id, now = wait(signed_in(console, "admin").credential_id()), state.context.now()
    shown = {"provider_name": "Musterbank", "status": "inactive", "error_class": "InvalidCredentials"}
    state.database.write(lambda c: save_bank(c, state.connector, id, "4711", shown, now)).result()
    before = requests(console)
    assert [one.message.en for one in wait(visitor.attention())] == [
        "Musterbank: the bank connection reports an error."
    ]
    assert requests(console) == before


def test_who_opens_the_start_page_lets_the_host_ask_once_in_two_minutes(console: RunningConsole) -> None:
    id, context = wait(signed_in(console, "operator").credential_id()), console.state.context
    wait(look_at_banks(context, "default"))
    planned = console.state.database.read(lambda c: due_work.planned(c, due_work.BANK_STATES, id))
    assert planned is not None
    assert planned <= context.now()


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
