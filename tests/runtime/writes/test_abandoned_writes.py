"""Writes that their caller gives up while they wait: it is known that the service accepted nothing."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from connector import Connector, Credential
from connector.client import clients
from tests.support.filled_in import NORDLICHT

ENTRY = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-11-14T10:00",
    "belegzeilen": [{"belegtext": "Papier", "gegenkonto": "4930", "betrag": "-41.65"}],
}


@pytest.fixture
def connector(sandbox, tmp_path):
    sandbox.order("/limits", limit=1000, window=20)
    sandbox.order("/faults", kind="rate_limited", times=1, match={"method": "POST"})
    connector = Connector(str(tmp_path))
    yield connector
    connector.close()


def refusals(sandbox) -> int:
    return sum(row["status"] == 429 for row in sandbox.requests())


@pytest.mark.parametrize("key", ["lauf-7", None])
async def test_a_call_that_is_cancelled_while_it_waits_after_a_429_is_not_unknown(connector, sandbox, key):
    async with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        call = asyncio.create_task(session.invoke("create_cash_book_entry", ENTRY, key=key))
        while not refusals(sandbox):  # noqa: ASYNC110 - only the sandbox knows
            await asyncio.sleep(0.02)
        while (await session.runs())[0].state == "sending":  # noqa: ASYNC110 - only the journal knows
            await asyncio.sleep(0.02)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        [run] = await session.runs()
        assert (run.state, run.outcome["outcome"]) == ("refused", "not_sent")
        session.state.governor.forget()
        again = await session.invoke("create_cash_book_entry", ENTRY, key=key)
    assert not again.replayed
    assert sum(row["acted"] for row in sandbox.requests() if row["method"] == "POST") == 1


def test_a_command_that_is_interrupted_while_it_waits_after_a_429_is_not_unknown(connector, sandbox, monkeypatch):
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        session.state.governor.update_from_headers({}, 0.0, session.clock.utcnow())
        monkeypatch.setattr(clients.time, "sleep", interrupted)
        with contextlib.suppress(KeyboardInterrupt):
            session.invoke("create_cash_book_entry", ENTRY, key="lauf-8")
        monkeypatch.undo()
        [run] = session.runs()
    assert refusals(sandbox) == 1
    assert run.state == "refused"


async def test_a_payment_that_is_cancelled_while_it_is_looked_for_gives_its_key_back_at_once(connector, sandbox):
    sandbox.heal()
    sandbox.order("/faults", kind="slow", seconds=3, times=1, match={"method": "GET", "path": "/v2/banking/payments"})
    async with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        account = (await session.options("bank_accounts", {"payments_only": True})).options[0].value
        payment = {
            "account_id": account,
            "creditor_name": "Reifen Voss KG",
            "creditor_iban": "DE02120300000000202051",
            "amount": "297.50",
        }
        call = asyncio.create_task(session.invoke("initiate_payment", payment, key="lauf-9"))
        while not await session.runs():  # noqa: ASYNC110 - another task writes it
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await session.find_run("lauf-9")).state == "refused"
        assert not (await session.invoke("initiate_payment", payment, key="lauf-9")).replayed
    assert sum(row["acted"] for row in sandbox.requests() if row["method"] == "POST") == 1
