"""A payment that a platform made without a key stands on its page as any other."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from connector.core.service_facts import payment_states
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.runs import run_details
from connector.interfaces.console.runs.run_standing import RunReader
from connector.interfaces.token_check import HOST
from connector.store.runs import payment_records as stored_states
from connector.store.runs import runs
from tests.interfaces.console.running_console import resting_console

PAYMENT: dict[str, Any] = {
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": Decimal("297.5"),
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}


@pytest.mark.parametrize("keep", [False, True], ids=["as it began", "as an event told"])
def test_a_keyless_payment_goes_on_at_the_bank_and_is_not_done(tmp_path: Path, keep: bool) -> None:
    with resting_console(tmp_path) as running:
        console = ConsoleContext(running.state, "/console", HOST)

        async def pay() -> run_details.RunDetails:
            session = await console.session()
            accounts = (await session.invoke("list_bank_accounts", {})).output["items"]
            account = next(one["id"] for one in accounts if one.get("currency_code", "EUR") == "EUR")
            made = await session.invoke("initiate_payment", {**PAYMENT, "account_id": account})
            assert made.run is not None
            if keep:
                now, id = console.state.context.now(), await console.credential_id()
                await console.write(
                    lambda c: stored_states.advance_status(c, id, str(made.output["id"]), "settled", now)
                )
            return await run_details.load(console, made.run)

        one = asyncio.run(pay())
        assert one.run.key is None
        assert one.payment_id
        assert run_details.is_payment(console, one.action)
        reader = RunReader(Localizer("en"), console.connector.library, payment_states())
        found = reader.standing(one, one.payment_status, is_payment=True)
        assert (found.tone, found.moving) == (("good", False) if keep else ("accent", True))
        listed = running.state.database.read(lambda c: runs.listed(c, "default", console.state.context.now()))
        assert [run.id for run in listed] == [one.run.id]
