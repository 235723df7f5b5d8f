"""What the service's description tells of its behaviour, seen through Kontor's own actions, on a real socket."""

from __future__ import annotations

import base64
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from connector import Connector
from connector.core.errors import InputError, NotFound, OutcomeUnknown
from connector.core.values import json
from connector.runtime.session import Session
from connector.sandbox.banking.demo import ENDING_SOON, HOUSE_BANK, MAIN_ACCOUNT, SAVINGS, SECOND_ACCOUNT, WALLET
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.conformance.conftest import Opened, items
from tests.support.filled_in import NORDLICHT, all_inputs
from tests.support.running_sandbox import RunningSandbox

PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": "12.50",
}


LEDGER = {"ledger_connection": NORDLICHT}
ENTRY = {**LEDGER, "kassenname": "Ladenkasse", "transaktionsdatum": "2026-11-14T10:00"}


def _answering(value: Any, status: int = 200) -> httpx.MockTransport:
    """A service that answers what the sandbox never does."""
    headers, content = {"content-type": "application/json"}, json.encode(value)
    return httpx.MockTransport(lambda request: httpx.Response(status, headers=headers, content=content))


def _poll(session: Session, trigger: str, inputs: dict[str, Any], cursor: str | None) -> tuple[list[Any], str | None]:
    """The items of all pages, and the cursor behind them."""
    polled = session.poll(trigger, inputs, cursor=cursor)
    items = [*polled.items]
    while polled.more:
        polled = session.poll(trigger, inputs, cursor=polled.cursor)
        items += polled.items
    return items, polled.cursor


def _ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


@pytest.mark.conforms(
    "bank_connection_status.connect_starts",
    "bank_connection_status.connect_is_given_up",
    "constants.connect_minutes",
)
def test_a_connect_flow_has_a_placeholder_for_15_minutes(session: Session, sandbox: RunningSandbox) -> None:
    sandbox.order("/clock", speed=0)
    id = session.invoke("start_bank_connect", {"provider_code": "n26_de"}).output["connection_id"]
    sandbox.order("/clock", advance=15 * 60 - 1)
    assert session.invoke("get_bank_connection", {"id": id}).output["status"] == "pending_connect"
    sandbox.order("/clock", advance=1)
    with pytest.raises(NotFound):
        session.invoke("get_bank_connection", {"id": id})


@pytest.mark.conforms("bank_connection_status.connect_completes")
def test_a_completed_connect_flow_has_another_row(session: Session, sandbox: RunningSandbox) -> None:
    flow = session.invoke("start_bank_connect", {"provider_code": "n26_de"}).output
    inbound = {"pending_token": flow["pending_token"]}
    real = sandbox.with_key(None).post("/v2/banking/webhooks/partner", json=inbound).json()["data"]["connection_id"]
    with pytest.raises(NotFound):
        session.invoke("get_bank_connection", {"id": flow["connection_id"]})
    assert session.invoke("get_bank_connection", {"id": real}).output["id"] == real


@pytest.mark.conforms("cash_book_entry.one_per_line", "credit_reservation.confirmed", "conventions.two_phase_credits")
def test_an_entry_of_two_lines_is_two_entries_for_one_credit(session: Session, sandbox: RunningSandbox) -> None:
    lines = [{"betrag": "20,00", "belegtext": "Verkauf"}, {"betrag": "-7,50", "belegtext": "Porto"}]
    before = sandbox.balance()
    credits = session.invoke("create_cash_book_entry", {**ENTRY, "belegzeilen": lines}).credits
    assert [one.belegtext for one in sandbox.world.ledger.cash_entries] == ["Verkauf", "Porto"]
    assert (credits.cost, credits.balance) == (1, before - 1)
    assert sandbox.available() == sandbox.balance() == before - 1


@pytest.mark.conforms("transactions.reach", "transactions.default_order")
def test_transactions_of_a_bank_connection_are_those_of_its_accounts_by_day(session: Session) -> None:
    whole = items(session, "list_transactions", connection_id=HOUSE_BANK)
    one = items(session, "list_transactions", account_id=SAVINGS)
    assert {row["account_id"] for row in whole} == {MAIN_ACCOUNT, SAVINGS}
    assert [row for row in whole if row["account_id"] == SAVINGS] == one
    assert items(session, "list_transactions", connection_id=HOUSE_BANK, account_id=SAVINGS) == one
    assert [row["made_on"] for row in whole] == sorted(row["made_on"] for row in whole)


@pytest.mark.conforms("transaction.payment_id")
def test_the_transaction_of_a_payment_names_it(session: Session, sandbox: RunningSandbox) -> None:
    id = session.invoke("initiate_payment", PAYMENT).output["id"]
    sandbox.order(f"/payments/{id}", status="settled")
    newest = items(session, "list_transactions", account_id=MAIN_ACCOUNT, sort="id")[-1]
    found = session.invoke("get_transaction", {"account_id": MAIN_ACCOUNT, "id": newest["id"]}).output
    assert found["payment_id"] == newest["payment_id"] == id


@pytest.mark.conforms("constants.empty_limit", "payments.limit")
def test_an_empty_limit_shows_all_payments(session: Session, sandbox: RunningSandbox) -> None:
    everything = items(session, "list_payments", limit="")
    assert len(everything) == len(sandbox.world.banking.payments)
    assert items(session, "list_payments", limit=3) == everything[:3]


@pytest.mark.conforms("open_items.nine_digits_only")
def test_accounts_of_eight_digits_stand_in_the_trial_balance_only(session: Session) -> None:
    open_items = session.invoke("get_open_items", {"ledger_connection": NORDLICHT}).output
    year = int(open_items["stichtag"][:4]) - 1
    rows = items(session, "get_trial_balance", ledger_connection=NORDLICHT, geschaeftsjahrStartDatum=f"{year}-01-01")
    assert {len(account["kontonummer"]) for account in open_items["konten"]} == {9}
    assert {8, 9} <= {len(row["kontonummer"]) for row in rows}


@pytest.mark.conforms("errors.probe_classification", "permissions.status")
def test_the_areas_of_the_probe_are_told_with_their_statuses(session: Session) -> None:
    rows = items(session, "check_permissions", ledger_connection=ledger_connection_id("probe"))
    assert {row["status"] for row in rows} == {"ok", "error", "unknown"}
    assert {row["httpStatus"]: row["status"] for row in rows} == {200: "ok", 503: "error", None: "unknown"}
    for code, told in (("connection_invalid", {401: "expired"}), ("endpoint_not_authorized", {403: "permission"})):
        broken = items(session, "check_permissions", ledger_connection=ledger_connection_id(f"ledger_{code}"))
        assert {row["httpStatus"]: row["status"] for row in broken if row["httpStatus"] not in (None, 200)} == told


@pytest.mark.conforms("events.free", "costs.events")
def test_a_trigger_on_events_costs_nothing() -> None:
    triggers = [trigger for trigger in Connector("unused").triggers.values() if trigger.request is None]
    assert len(triggers) > 5
    assert {trigger.cost.credits for trigger in triggers} == {0}


@pytest.mark.conforms(
    "cash_book_entry.body",
    "cash_book_entry.spelling",
    "cash_book_entry.point_in_time",
    "cash_book_entry.images_in_the_answer",
    "conventions.timestamps",
    "endpoints.required_body_fields",
)
def test_an_entry_leaves_as_it_is_described_and_comes_back_under_its_own_spelling(
    session: Session, sandbox: RunningSandbox
) -> None:
    line = {"belegtext": "Papier", "gegenkonto": "4930", "belegNummer": "KB-7", "betrag": "-41,65"}
    more = {"steuersatz": {"prozent": "19", "buSchluessel": "9"}, "kostenstelle1": "Laden", "kostenstelle2": "Büro"}
    image = {"content": b"%PDF-1.7 x", "dateiname": "KB-7.pdf"}
    inputs = {**ENTRY, "waehrung": "EUR", "belegzeilen": [{**line, **more}], "belegbilder": [image]}
    output = session.invoke("create_cash_book_entry", inputs).output
    sent = sandbox.requests()[-1]["body"]
    assert sent == {
        "waehrung": "EUR",
        "kassenname": "Ladenkasse",
        "betrag": Decimal("-41.65"),
        "transaktionsdatum": "2026-11-14T10:00:00+01:00",
        "belegzeilen": [
            {**line, **more, "betrag": Decimal("-41.65"), "steuersatz": {"prozent": 19, "buSchluessel": "9"}}
        ],
        "belegbilder": [{"content": base64.b64encode(image["content"]).decode(), "dateiname": "KB-7.pdf"}],
    }
    assert output["belegzeilen"][0]["belegnummer"] == "KB-7"
    assert output["belegbilder"][0]["dateiname"] == "KB-7.pdf", "whatever it holds, it is passed on"


@pytest.mark.conforms("cash_book_entry.total", "cash_book.name")
def test_the_total_is_the_sum_of_the_lines_with_its_sign_or_nothing_is_sent(
    session: Session, sandbox: RunningSandbox
) -> None:
    book = items(session, "list_cash_books", **LEDGER)[1]["bezeichnung"]
    lines = [{"betrag": "20,00"}, {"betrag": "-27,50"}]
    entry = {**ENTRY, "kassenname": book, "belegzeilen": lines}
    before = len(sandbox.requests())
    with pytest.raises(InputError) as caught:
        session.invoke("create_cash_book_entry", {**entry, "betrag": "-7,49"})
    assert caught.value.field == "betrag"
    assert len(sandbox.requests()) == before
    output = session.invoke("create_cash_book_entry", {**entry, "betrag": "-7,50"}).output
    assert (output["betrag"], output["kassenname"]) == (Decimal("-7.50"), book)
    assert [row.kassenname for row in sandbox.world.ledger.cash_entries] == [book, book]


@pytest.mark.conforms("cash_book_entry.provider_may_be_silent", "provider_result.most_writes", "versioning.promises")
def test_the_providers_answer_may_be_silent_or_of_another_form_and_a_failure_in_it_is_no_success(
    opened: Opened,
) -> None:
    message = {"filename": "a.pdf", "message": "Periode geschlossen", "timestamp": "2026-11-14T10:00:00Z"}
    told = {"status": "SUCCESS", "information": [{**message, "type": "INFO"}], "tomorrow": 1}
    for number, provider in enumerate((None, told)):
        entry = {**ENTRY, "belegzeilen": [{"betrag": str(number + 1)}]}
        session = opened(transport=_answering({"kassenname": "Ladenkasse", "ledgerAntwort": provider, "new": [1]}))
        output = session.invoke("create_cash_book_entry", entry).output
        assert output == {"kassenname": "Ladenkasse", "ledgerAntwort": provider, "new": [1]}
    failed = {"status": "ERROR", "information": [{**message, "type": "ERROR"}]}
    with pytest.raises(OutcomeUnknown, match="Periode geschlossen"):
        opened(transport=_answering({"ledgerAntwort": failed})).invoke(
            "create_cash_book_entry", {**ENTRY, "belegzeilen": [{"betrag": "9"}]}
        )


@pytest.mark.conforms("endpoints.success_statuses")
@pytest.mark.parametrize("status", [200, 201, 202, 203])
def test_any_success_is_one(status: int, opened: Opened) -> None:
    session = opened(transport=_answering({"data": {"id": "7"}}, status))
    assert session.invoke("get_bank_connection", {"id": "7"}).output == {"id": "7"}


@pytest.mark.conforms("webhook_url.shapes")
@pytest.mark.parametrize(
    "shape", [{"data": {"webhook_url": "https://a.example/x"}}, {"url": "https://a.example/x"}, "https://a.example/x"]
)
def test_the_webhook_url_is_found_in_each_plausible_shape(shape: Any, opened: Opened) -> None:
    output = opened(transport=_answering(shape)).invoke("get_webhook_url").output
    assert output == {"webhook_url": "https://a.example/x"}


@pytest.mark.conforms("webhook_url.set", "webhook_url.get", "webhook_url.public_https")
def test_only_a_public_https_address_is_set(session: Session, sandbox: RunningSandbox) -> None:
    before = len(sandbox.requests())
    private = ("localhost", "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.9", "[::1]", "[fd00::1]")
    for url in ("http://hooks.muster.example/in", *(f"https://{host}/in" for host in private)):
        with pytest.raises(InputError) as caught:
            session.invoke("set_webhook_url", {"webhook_url": url})
        assert caught.value.field == "webhook_url"
    assert len(sandbox.requests()) == before
    session.invoke("set_webhook_url", {"webhook_url": "https://hooks.muster.example/in"})
    assert sandbox.requests()[-1]["body"] == {"webhook_url": "https://hooks.muster.example/in"}
    assert session.invoke("get_webhook_url").output == {"webhook_url": "https://hooks.muster.example/in"}


@pytest.mark.conforms("person_account.request", "person_account.open_values", "person_account.identity")
def test_a_person_account_leaves_as_it_is_described_and_the_service_decides_what_becomes_of_it(
    session: Session, sandbox: RunningSandbox
) -> None:
    contact = {
        "vorname": "Imke",
        "nachname": "Petersen",
        "anrede": "Frau Dr.",
        "emailAdressen": [{"email": "a@b.example", "typ": "X"}],
    }
    inputs = {
        "personenkontoNummer": "100100042",
        "kontaktTyp": "Etwas Neues",
        "kontenrahmen": "SKR99",
        "kontonummernLaenge": 8,
        "geschaeftsjahrStartDatum": f"{session.clock.utcnow():%Y}-01-01",
        "firmenname": "Hausverwaltung Petersen GmbH",
        "ustId": "DE136695976",
        "emailAdressen": [{"email": "c@d.example", "typ": "X"}],
        "telefonnummern": [{"nummer": "+49 40 1234567", "typ": "X"}],
        "bankkonten": [{"iban": "DE89370400440532013000", "bic": "COBADEFFXXX", "name": "Haus", "istHauptkonto": True}],
        "kontaktpersonen": [{**contact, "telefonnummern": [{"nummer": "+49 40 1", "typ": "X"}]}],
        "adressen": [
            {"adresszeile": "Kai 1", "postleitzahl": "01067", "ort": "Dresden", "laendercode": "DE", "typ": "X"}
        ],
    }
    for name in ("Hausverwaltung Petersen GmbH", "Hausverwaltung Petersen KG"):
        output = session.invoke("save_person_account", {**LEDGER, **inputs, "firmenname": name}).output
        assert sandbox.requests()[-1]["body"] == {**inputs, "firmenname": name}
        assert [row["firmenname"] for row in output["eintraege"]] == [name]


@pytest.mark.conforms("open_items.grouping", "open_items.answer", "open_items.side", "open_items.endpoint")
def test_open_items_come_by_account_and_document_largest_first_and_by_side(
    session: Session, sandbox: RunningSandbox
) -> None:
    found = {
        side: session.invoke("get_open_items", {**LEDGER, "side": side}).output
        for side in ("debitors", "creditors", "all")
    }
    every = session.invoke("get_open_items", {**LEDGER, "extra": {"viertes": "x"}}).output
    assert sandbox.requests()[-1]["query"]["viertes"] == "x"
    assert every == found["all"]
    accounts = every["konten"]
    sizes = [abs(account["totalSaldo"]) for account in accounts]
    assert sizes == sorted(sizes, reverse=True)
    for account in accounts:
        documents = [item["beleg"] for item in account["posten"]]
        assert len(documents) == len(set(documents))
        assert account["totalSaldo"] == sum(item["saldo"] for item in account["posten"])
    assert len({item["belegdatum"][:4] for account in accounts for item in account["posten"]}) > 1, "all fiscal years"
    for side, digits, total in (("debitors", "123456", "sumDebitoren"), ("creditors", "789", "sumKreditoren")):
        own = [account for account in accounts if account["kontonummer"][0] in digits]
        assert found[side]["konten"] == own
        assert all(account["isDebitor"] == (side == "debitors") for account in own)
        assert found[side][total] == every[total] == sum(account["totalSaldo"] for account in own)
    assert every["sumKreditoren"] < 0 < every["sumDebitoren"]


@pytest.mark.conforms("open_items.cutoff", "open_items.opening_balances")
def test_open_items_end_with_the_cutoff_and_show_opening_balances_as_asked(
    session: Session, sandbox: RunningSandbox
) -> None:
    today = datetime.fromisoformat(sandbox.order("/clock")["now"]).date()
    plain = session.invoke("get_open_items", LEDGER).output
    assert plain["stichtag"] == today.isoformat()
    days = sorted({item["belegdatum"] for account in plain["konten"] for item in account["posten"]})
    for cutoff in (date.fromisoformat(days[-1]), date.fromisoformat(days[-1]) - timedelta(days=1)):
        early = session.invoke("get_open_items", {**LEDGER, "cutoff": cutoff}).output
        shown = {item["belegdatum"] for account in early["konten"] for item in account["posten"]}
        assert max(shown) <= cutoff.isoformat()
        assert (days[-1] in shown) == (cutoff.isoformat() == days[-1])
    assert session.invoke("get_open_items", {**LEDGER, "opening_balance": "reconcile"}).output == plain
    raw = session.invoke("get_open_items", {**LEDGER, "opening_balance": "raw"}).output
    names = [{item["beleg"] for account in shown["konten"] for item in account["posten"]} for shown in (plain, raw)]
    assert "EB-RESIDUAL" in names[0] - names[1]
    assert "0" in names[1] - names[0]


@pytest.mark.conforms("ledger_others.shapes", "endpoints.ledger_connection")
def test_calls_that_are_only_named_are_made_and_read(session: Session, sandbox: RunningSandbox) -> None:
    for module in ("duo", "rewe"):
        assert items(session, "list_ledger_connections", module=module)
        assert sandbox.requests()[-1]["path"] == f"/v2/ledger-{module}{'' if module == 'duo' else '-read'}/connections"
    only_duo = ledger_connection_id("duo-only")
    listed = {module: session.options("ledger_connections", {"module": module}) for module in ("duo", "rewe")}
    assert [only_duo in {option.value for option in options} for options in listed.values()] == [True, False]
    assert items(session, "list_document_types", **LEDGER)[0].keys() == {"id", "bezeichnung"}
    areas = [row["area"] for row in items(session, "check_permissions", **LEDGER)]
    assert len(areas) == len(set(areas)) > 1


@pytest.mark.conforms("bank_accounts.filters", "bank_accounts.able_to_pay")
def test_bank_accounts_are_all_or_those_that_are_asked_for(session: Session) -> None:
    every = items(session, "list_bank_accounts")
    assert len(every) == 5
    of_house_bank = items(session, "list_bank_accounts", connection_id=HOUSE_BANK)
    assert _ids(of_house_bank) == [MAIN_ACCOUNT, SAVINGS]
    unregulated = items(session, "list_bank_accounts", api="openbanking")
    assert WALLET in _ids(unregulated)
    assert _ids(items(session, "list_bank_accounts", api="partner")) == _ids(
        [row for row in every if row not in unregulated]
    )
    able = _ids(items(session, "list_bank_accounts", payments_only=True))
    assert WALLET not in able
    for id in able[:1]:
        assert session.invoke("initiate_payment", {**PAYMENT, "account_id": id}).output["account_id"] == id


@pytest.mark.conforms("transactions.from_date", "transactions.end_date", "transactions.no_api", "conventions.dates")
def test_transactions_of_days_include_both_and_no_kind_of_bank_is_passed(
    session: Session, sandbox: RunningSandbox
) -> None:
    days = [row["made_on"] for row in items(session, "list_transactions", account_id=MAIN_ACCOUNT)]
    first, last = (f"{date.fromisoformat(day):%d.%m.%Y}" for day in (days[40], days[80]))
    rows = items(session, "list_transactions", account_id=MAIN_ACCOUNT, from_date=first, to_date=last)
    asked = {"account_id": MAIN_ACCOUNT, "from_date": days[40], "to_date": days[80]}
    assert sandbox.requests()[-1]["query"] == asked
    assert [row["made_on"] for row in rows] == [day for day in days if days[40] <= day <= days[80]]
    assert "api" not in {field.name for field in Connector("unused").action("list_transactions").inputs}


@pytest.mark.conforms("transactions.from_id", "transactions.sort", "transaction.id", "transaction.amount")
def test_a_poll_continues_by_number_after_the_last_id_and_catches_what_is_back_dated(
    session: Session, sandbox: RunningSandbox
) -> None:
    inputs = {"account_id": MAIN_ACCOUNT}
    rows = items(session, "list_transactions", **inputs, sort="id")
    numbers = [int(row["id"]) for row in rows]
    assert numbers == sorted(numbers)
    assert _ids(rows) != sorted(_ids(rows)), "as texts they have another order"
    after = items(session, "list_transactions", **inputs, sort="id", from_id=rows[5]["id"])
    assert after == rows[6:]
    cursor = session.poll("new_transaction", inputs).cursor
    assert cursor is not None
    assert cursor.startswith(rows[-1]["id"])
    exact = Decimal("-123456789012345.67")
    sandbox.order_exact("/transactions", {"account_id": MAIN_ACCOUNT, "made_on": "2025-01-02", "amount": exact})
    polled = session.poll("new_transaction", inputs, cursor=cursor)
    (late,) = polled.items
    assert int(late["id"]) > numbers[-1]
    assert (late["made_on"], late["amount"]) == ("2025-01-02", exact)
    asked = [one["query"] for one in sandbox.requests() if one["path"] == "/v2/banking/transactions"][-1]
    assert asked["sort"] == "id"
    assert asked["from_id"] in _ids(rows), "not behind a row that is still pending"
    assert not session.poll("new_transaction", inputs, cursor=polled.cursor).items
    usual = items(session, "list_transactions", **inputs, sort="made_on")
    keys = [(row["made_on"], int(row["id"])) for row in usual]
    assert keys == sorted(keys)


@pytest.mark.conforms(
    "transaction.status",
    "transaction.duplicated",
    "transaction_status.states",
    "transaction_status.transitions",
)
def test_a_row_that_is_pending_fires_when_it_is_posted_and_a_duplicate_only_where_it_is_asked_for(
    session: Session, sandbox: RunningSandbox
) -> None:
    inputs = {"account_id": MAIN_ACCOUNT}
    with_duplicates = {**inputs, "include_duplicates": True}
    _, cursor = _poll(session, "new_transaction", inputs, None)
    _, changes = _poll(session, "transaction_changed", inputs, None)
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    [double] = sandbox.order("/transactions")["data"]
    sandbox.order(f"/transactions/{double['id']}", duplicated=True)
    assert _ids(_poll(session, "new_transaction", with_duplicates, cursor)[0]) == [double["id"]]
    rows, cursor = _poll(session, "new_transaction", inputs, cursor)
    assert rows == []
    _, changes = _poll(session, "transaction_changed", inputs, changes)
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    assert _ids(_poll(session, "new_transaction", inputs, cursor)[0]) == [pending["id"]]
    told, _ = _poll(session, "transaction_changed", inputs, changes)
    assert [(row["id"], row["status"]) for row in told] == [(pending["id"], "posted")]


@pytest.mark.conforms("payments.filters", "payments.sort")
def test_payments_are_filtered_sorted_and_continued_as_described(session: Session) -> None:
    every = items(session, "list_payments")
    made = [row["created_at"] for row in every]
    assert made == sorted(made, reverse=True)
    assert items(session, "list_payments", sort="date") == every
    assert items(session, "list_payments", connection_id="__all__", account_id="__all__") == every
    assert items(session, "list_payments", account_id=SECOND_ACCOUNT) == [
        row for row in every if row["account_id"] == SECOND_ACCOUNT
    ]
    assert items(session, "list_payments", connection_id=ENDING_SOON) == [
        row for row in every if row["connection_id"] == ENDING_SOON
    ]
    first, last = made[-3][:10], made[3][:10]
    between = items(session, "list_payments", created_from=first, created_to=last)
    assert between == [row for row in every if first <= row["created_at"][:10] <= last]
    by_id = items(session, "list_payments", sort="id")
    assert [int(row["id"]) for row in by_id] == sorted(int(row["id"]) for row in every)
    assert items(session, "list_payments", sort="id", from_id=by_id[4]["id"]) == by_id[5:]
    with pytest.raises(InputError) as caught:
        session.invoke("list_payments", {"from_id": "1"})
    assert caught.value.field in ("from_id", "sort")


@pytest.mark.conforms(
    "payment.initiation",
    "payment.template",
    "payment.live_status",
    "costs.payment",
    "payment_status.processing_to_settled",
)
@pytest.mark.parametrize(("end", "cost"), [("settled", 3), ("failed", 0)])
def test_a_payment_is_made_and_charged_when_it_is_settled(
    end: str, cost: int, session: Session, sandbox: RunningSandbox
) -> None:
    before = sandbox.balance()
    given = {**PAYMENT, "template_identifier": "SEPA_INSTANT", "custom_fields": {"vorgang": "EK-1"}}
    made = session.invoke("initiate_payment", given)
    assert (made.credits.cost, made.credits.state) == (3, "reserved")
    assert made.output["custom_fields"] == {"vorgang": "EK-1"}
    assert (sandbox.balance(), sandbox.available()) == (before, before - 3)
    id = made.output["id"]
    for status in ("authorizing", "processing", end):
        sandbox.order(f"/payments/{id}", status=status)
        assert session.invoke("get_payment", {"id": id}).output["status"] == status
    assert sandbox.balance() == sandbox.available() == before - cost


@pytest.mark.conforms("banking_others.not_shown")
def test_bank_connections_are_offered_without_a_list_of_them(session: Session) -> None:
    assert HOUSE_BANK in {option.value for option in session.options("bank_connections")}
    called = session.invoke("call_api", {"method": "GET", "path": f"/v2/banking/connections/{HOUSE_BANK}"}).output
    assert called["data"]["id"] == HOUSE_BANK


@pytest.mark.conforms("bank_connection.owner", "versioning.null_owner")
def test_an_old_bank_connection_has_no_owner_until_it_is_reconnected(session: Session, sandbox: RunningSandbox) -> None:
    old = session.invoke("get_bank_connection", {"id": ENDING_SOON}).output
    assert old["created_at"] < "2026-05-26"
    assert old["owner_user_id"] is None
    sandbox.order(f"/bank-connections/{ENDING_SOON}/reconnect")
    assert session.invoke("get_bank_connection", {"id": ENDING_SOON}).output["owner_user_id"]


@pytest.mark.conforms("bank_connection_status.states", "bank_connection_status.other_transitions")
def test_a_bank_connection_may_go_to_any_state_and_is_told_when_it_needs_attention(
    session: Session, sandbox: RunningSandbox
) -> None:
    inputs = {"connection_id": HOUSE_BANK}
    cursor = session.poll("bank_connection_needs_attention", inputs, start="all").cursor
    told = []
    for change in ("error", "reconnect", "expire-consent"):
        sandbox.order(f"/bank-connections/{HOUSE_BANK}/{change}")
        polled = session.poll("bank_connection_needs_attention", inputs, cursor=cursor)
        cursor = polled.cursor
        told.append(len(polled.items))
    assert told == [1, 0, 1]


@pytest.mark.conforms("trial_balance.endpoint", "trial_balance.period_value", "constants.periods")
def test_the_trial_balance_of_one_account_has_periods_up_to_14(session: Session, sandbox: RunningSandbox) -> None:
    year = f"{session.clock.utcnow().year - 1}-01-01"
    rows = items(session, "get_trial_balance", **LEDGER, geschaeftsjahrStartDatum=year)
    assert {value["periode"] for row in rows for value in row["periodenwerte"]} == set(range(1, 15))
    (one,) = items(session, "get_trial_balance", **LEDGER, geschaeftsjahrStartDatum=year, account_number="1200")
    assert one == next(row for row in rows if row["kontonummer"] == "1200")


@pytest.mark.conforms("events.other_areas")
@pytest.mark.parametrize("trigger", ["open_item_changed", "new_mobility_customer"])
def test_what_changes_without_an_event_is_found_by_a_poll(trigger: str, session: Session) -> None:
    inputs = LEDGER if trigger == "open_item_changed" else {}
    first = session.poll(trigger, inputs, start="all")
    assert first.items
    assert not session.poll(trigger, inputs, cursor=first.cursor).items


@pytest.mark.conforms("costs.not_shown")
def test_what_has_no_described_cost_is_told_as_free_and_marked(session: Session) -> None:
    for id, action in Connector("unused").actions.items():
        if action.cost.assumed and action.request:
            assert session.invoke(id, all_inputs(action, session)).credits.cost == 0


@pytest.mark.conforms("conventions.balance_is_not_everywhere")
def test_where_no_balance_is_told_it_is_counted_on(session: Session, sandbox: RunningSandbox) -> None:
    told = session.invoke("list_cash_books", LEDGER).credits
    silent = session.invoke("list_transactions", {"account_id": MAIN_ACCOUNT}).credits
    assert (told.told, silent.told) == (True, False)
    assert silent.balance == told.balance - 1 == sandbox.balance()


@pytest.mark.conforms("transaction.open_values", "ledger_connection.status_values", "versioning.promises")
def test_a_value_or_field_that_nobody_described_is_passed_on_and_one_that_is_missing_stops_nothing(
    opened: Opened,
) -> None:
    rows = [{"id": "7", "account_id": "1", "status": "booked", "mode": "x", "category": "y", "tomorrow": {"a": [1]}}]
    session = opened(transport=_answering({"data": rows}))
    assert items(session, "list_transactions", account_id="1") == rows
    polled = session.poll("new_transaction", {"account_id": "1"}, start="all").items
    assert [(row["id"], row["status"]) for row in polled] == [("7", "booked")], "it counts as posted"
    accounts = [{"id": "1", "nature": "moon"}]
    assert items(opened(transport=_answering({"data": accounts})), "list_bank_accounts") == accounts
    connections = [{"id": NORDLICHT, "status": "paused"}]
    assert items(opened(transport=_answering({"connections": connections})), "list_ledger_connections") == connections


@pytest.mark.conforms("constants.sizes")
def test_an_image_beyond_what_is_assumed_is_refused_before_it_is_sent(
    session: Session, sandbox: RunningSandbox
) -> None:
    before = len(sandbox.requests())
    image = {"dateiname": "a.pdf", "content": b"%PDF-1.7" + b" " * 10 * 2**20}
    with pytest.raises(InputError) as caught:
        session.invoke("create_cash_book_entry", {**ENTRY, "belegzeilen": [{"betrag": 1}], "belegbilder": [image]})
    assert "belegbilder" in str(caught.value.field)
    assert len(sandbox.requests()) == before


@pytest.mark.conforms("invoice_folders.type_filter")
@pytest.mark.parametrize("folder_type", ["EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"])
def test_folders_are_those_of_the_type_that_is_asked_for(folder_type: str, session: Session) -> None:
    every = items(session, "list_invoice_folders", **LEDGER)
    found = items(session, "list_invoice_folders", **LEDGER, folder_type=folder_type)
    assert found == [row for row in every if row["ordnertyp"] == folder_type]
    assert 0 < len(found) < len(every)


@pytest.mark.conforms("endpoints.quelle", "endpoints.quelle_of_a_platform")
@pytest.mark.parametrize(("given", "sent"), [("zapier", "zapier"), ("", "kontor")])
def test_a_platform_passes_its_own_label_and_there_always_is_one(
    given: str, sent: str, opened: Opened, sandbox: RunningSandbox
) -> None:
    opened(quelle=given).invoke("list_cash_books", LEDGER)
    assert sandbox.requests()[-1]["query"]["quelle"] == sent
