"""The package for a host in a whole n8n server: actions, dropdowns, polls, events and retries go through the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.host.running_host import TOKEN, RunningHost
from tests.platforms.n8n.engine.n8n_engine import chosen, parameters_of
from tests.platforms.n8n_server.conftest import KEY
from tests.platforms.n8n_server.n8n_rest import Editor
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

CONNECTOR = Connector("unused")
SECONDS = 90.0
CASH_BOOK = "/v2/ledger-duo/kassenbuch-advanced"
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
}


@pytest.fixture
def hosted(hosted_editor: Editor, host: RunningHost, sandbox: RunningSandbox) -> dict[str, str]:
    """A credential for the host, stored in n8n."""
    sandbox.order("/limits", limit=1_000_000)
    return hosted_editor.new_credential(host.url, KEY, hostToken=TOKEN)


def filled(action: str, **inputs: Any) -> dict[str, Any]:
    manifest = CONNECTOR.action(action)
    return {**chosen(manifest), **parameters_of(manifest, inputs)}


def wait_for(what: str, sign: Callable[[], Any]) -> Any:
    patience = time.monotonic() + SECONDS
    while time.monotonic() < patience:
        if found := sign():
            return found
        time.sleep(0.5)
    raise AssertionError(f"{what}: not within {SECONDS:g} seconds")


def test_a_credential_is_tested_and_an_entry_is_booked_to_the_cent(
    hosted_editor: Editor, hosted: dict[str, str], sandbox: RunningSandbox
) -> None:
    entry = filled(
        "create_cash_book_entry",
        ledger_connection=NORDLICHT,
        kassenname="Ladenkasse",
        betrag="1234567890123.45",
        transaktionsdatum="2026-05-04T10:30:00+02:00",
        belegzeilen=[{"betrag": "1234567890123.45", "belegtext": "Lastenrad", "gegenkonto": "8400"}],
    )
    done = hosted_editor.run(hosted, entry)
    assert done.status == "success", done.result
    [sent] = [row for row in sandbox.requests() if row["path"] == CASH_BOOK]
    assert (sent["body"]["betrag"], sent["query"]["quelle"]) == (Decimal("1234567890123.45"), "n8n")


def test_a_dropdown_is_searched_and_paged_by_the_host(hosted_editor: Editor, hosted: dict[str, str]) -> None:
    fields = {
        one["name"]: one
        for one in hosted_editor.node_types()["kontor"]["properties"]
        if "create_cash_book_entry" in one.get("displayOptions", {}).get("show", {}).get("operation", [])
    }
    form = filled("create_cash_book_entry", ledger_connection=NORDLICHT)

    def page(name: str, **part: str) -> dict[str, Any]:
        data: dict[str, Any] = hosted_editor.options("kontor", fields[name], hosted, form, **part).json()["data"]
        return data

    assert [one["value"] for one in page("kassenname", filter="laden")["results"]] == ["Ladenkasse"]
    first = page("waehrung")
    later = page("waehrung", paginationToken=first["paginationToken"])
    assert (len(first["results"]), len(later["results"]) > 50, "paginationToken" in later) == (100, True, False)


def test_a_poll_and_an_event_start_workflows_and_switched_off_the_subscription_ends(
    hosted_editor: Editor, hosted: dict[str, str], host: RunningHost, sandbox: RunningSandbox
) -> None:
    def subscriptions() -> list[str]:
        rows = host.http.get("/v1/subscriptions").json()["subscriptions"]
        return [one["trigger"] for one in rows if one["state"] == "active"]

    every_minute = {"start": "now", "pollTimes": {"item": [{"mode": "everyMinute"}]}}
    account = parameters_of(CONNECTOR.trigger("new_transaction"), {"account_id": MAIN_ACCOUNT})
    new_transaction = {"trigger": "new_transaction", **every_minute, **account}
    polled = hosted_editor.activated("kontorTrigger", hosted, new_transaction)
    hooked = hosted_editor.activated("kontorEventTrigger", hosted, {"trigger": "payment_settled"})
    wait_for("the baseline", lambda: hosted_editor.kept_data(polled).get("node:Kontor", {}).get("cursor"))
    wait_for("the subscription", subscriptions)
    [new] = sandbox.order("/transactions", amount="-12.34", account_id=MAIN_ACCOUNT)["data"]
    payment = str(sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]["id"])
    sandbox.order(f"/payments/{payment}", status="settled")
    [told] = wait_for("the event", lambda: hosted_editor.executions(hooked))
    assert [item["payment_id"] for item in told.items("Next")] == [payment]
    fired, *_ = wait_for("the new one", lambda: hosted_editor.executions(polled))
    assert fired.items("Next")[0]["id"] == new["id"]  # the settled payment becomes a transaction too
    hosted_editor.deactivate(polled)
    hosted_editor.deactivate(hooked)
    wait_for("no subscription", lambda: not subscriptions())


def test_a_payment_that_is_retried_is_paid_once(
    hosted_editor: Editor, hosted: dict[str, str], sandbox: RunningSandbox
) -> None:
    paying = hosted_editor.called(hosted, filled("initiate_payment", **{**PAYMENT, "amount": "297.50"}))
    sandbox.order("/faults", kind="drop_after", match={"method": "POST", "path": "/v2/banking/payments"}, times=1)
    first = hosted_editor.give(paying, {})
    again = first if first.status == "success" else hosted_editor.retry(first)
    assert again.status == "success", again.result
    rows = sandbox.api.get("/v2/banking/payments").json()["data"]
    assert len([row for row in rows if row["creditor_name"] == "Reifen Voss KG" and row["amount"] == 297.5]) == 1
