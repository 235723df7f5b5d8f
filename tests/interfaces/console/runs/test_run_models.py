"""What the pages of runs tell, without a browser."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from connector import Connector
from connector.core.service_facts import payment_states
from connector.interfaces.console.forms.form_model import draft_of, inputs_of
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.runs.payees import PastPayment, differences
from connector.interfaces.console.runs.run_details import RunDetails
from connector.interfaces.console.runs.run_list import Filters, RunLine, as_csv
from connector.interfaces.console.runs.run_standing import RunReader, Standing
from connector.runtime.requests import checks
from connector.store import open_database
from connector.store.runs import runs
from connector.store.runs.runs import STATES, NewRun, Run, State

CONNECTOR = Connector()
PAYMENT, CASH = CONNECTOR.action("initiate_payment"), CONNECTOR.action("create_cash_book_entry")
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
INPUTS: dict[str, Any] = {
    "account_id": "8101",
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": Decimal("297.5"),
    "currency_code": "EUR",
    "template_identifier": "SEPA",
}
EN, DE = Localizer("en"), Localizer("de")


def run(state: Any, outcome: Any = None) -> RunDetails:
    row = Run("id", "default", "k", "f", PAYMENT.id, "2:a", INPUTS, state, "o", 0, outcome, NOW, NOW)
    return RunDetails(row, PAYMENT, None, ())


def standing(one: RunDetails, payment: str | None = None, localize: Localizer = EN) -> Standing:
    reader = RunReader(localize, CONNECTOR.library, payment_states())
    return reader.standing(one, payment, is_payment=True)


@pytest.mark.parametrize(
    ("status", "tone", "moving"),
    [
        ("initiated", "accent", True),
        ("initiated_info_required", "warn", True),
        ("executed", "accent", True),
        ("settled", "good", False),
        ("rejected", "bad", False),
        ("failed", "bad", False),
        ("a state of tomorrow", "accent", True),
    ],
)
def test_only_a_settled_payment_is_good(status: str, tone: str, moving: bool) -> None:
    found = standing(run("done", {"output": {"id": "1", "status": "initiated"}, "cost": 3}), status)
    assert (found.tone, found.moving) == (tone, moving)
    charged = "Charged: 3 credits." if status == "settled" else ""
    assert (found.detail == charged) == (status == "settled")


@pytest.mark.parametrize("localize", [EN, DE], ids=["en", "de"])
@pytest.mark.parametrize(
    "state", ["claimed", "sending", "done", "refused", "unknown", "settled", "awaiting_approval", "rejected", "expired"]
)
def test_every_state_has_a_sentence(state: str, localize: Localizer) -> None:
    found = standing(run(state, {"kind": "refused", "happened": False}), None, localize)
    assert found.headline
    assert found.word
    assert found.moving == (state in {"claimed", "sending", "unknown", "awaiting_approval"})


@pytest.mark.parametrize("localize", [EN, DE], ids=["en", "de"])
def test_a_run_whose_sender_is_gone_is_told_as_unknown(localize: Localizer) -> None:
    sending = run("sending")
    assert standing(replace(sending, unresolved=True), None, localize) == standing(run("unknown"), None, localize)
    assert standing(sending, None, localize) != standing(run("unknown"), None, localize)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("seconds", [-60, -29, 0, 29, 31])
def test_the_page_of_a_run_offers_settling_where_the_list_of_unknown_ones_does(
    tmp_path: Path, state: State, seconds: int
) -> None:
    database = open_database(str(tmp_path))
    try:
        new, then = NewRun("a" * 32, "default", None, "f" * 16, PAYMENT.id, "2:1", b"{}", "o"), NOW
        database.write(lambda connection: runs.insert(connection, new, state, then)).result()
        now = NOW + timedelta(seconds=seconds)
        found = database.read(lambda connection: runs.find(connection, "default", new.id))
        listed = database.read(lambda connection: runs.listed(connection, "default", now, state="unknown"))
    finally:
        database.close()
    assert found is not None
    assert found.is_unresolved(now) == bool(listed)


def test_what_was_sent_is_told_in_the_words_of_the_form() -> None:
    english = dict(input_facts(PAYMENT.inputs, INPUTS, EN, {"account_id": "Geschäftskonto"}).as_rows())
    assert english["From account"] == "Geschäftskonto"
    assert english["Amount"] == "297.50 EUR"
    assert english["Recipient's IBAN"] == "DE02 1203 0000 0000 2020 51"
    assert english["Kind of transfer"] == "SEPA transfer"
    assert dict(input_facts(PAYMENT.inputs, INPUTS, DE).as_rows())["Betrag"] == "297,50 EUR"


def test_lines_are_a_table_with_only_the_columns_that_were_filled() -> None:
    inputs = {"waehrung": "EUR", "belegzeilen": [{"betrag": Decimal("5"), "gegenkonto": "8400"}]}
    (lines,) = input_facts(CASH.inputs, inputs, EN).lines
    assert lines.heads == ("Amount", "Counter account")
    assert lines.rows == (("5.00 EUR", "8400"),)
    assert lines.numeric == {0}


def test_a_cell_of_a_line_cannot_look_like_another_line() -> None:
    hostile = "Papier\n8400 \u202e\u200b5.00 EUR" + 3000 * "x"
    (lines,) = input_facts(CASH.inputs, {"belegzeilen": [{"belegtext": hostile}]}, EN).lines
    ((cell,),) = lines.rows
    assert cell.startswith("Papier\\u000a8400 \\u202e\\u200b5.00 EUR")
    assert cell.endswith(f"… ({len(hostile)})")


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_template_reads_back_as_the_run_was(lang: str) -> None:
    draft = draft_of(PAYMENT.inputs, INPUTS, lang)
    again = CONNECTOR.inputs(PAYMENT).clean(inputs_of(PAYMENT.inputs, draft))
    assert again == CONNECTOR.inputs(PAYMENT).clean(INPUTS)
    entry = {
        "ledger_connection": "12e9cb8f-7a58-4b29-8a9e-7f6f9f7a2f10",
        "kassenname": "Ladenkasse",
        "transaktionsdatum": "2026-05-04T08:30:00+00:00",
        "belegzeilen": [{"betrag": Decimal("1234.50"), "gegenkonto": "8400"}],
    }
    read = CONNECTOR.inputs(CASH).clean(inputs_of(CASH.inputs, draft_of(CASH.inputs, entry, lang)))
    assert read == CONNECTOR.inputs(CASH).clean(entry)


def test_all_problems_of_a_form_are_told_at_once() -> None:
    form = CONNECTOR.inputs(PAYMENT)
    found = checks.problems(PAYMENT, form, {"amount": "viel", "creditor_iban": "DE00"})
    assert [error.field for error in found] == ["account_id", "creditor_name", "creditor_iban", "amount"]
    ruled = checks.problems(PAYMENT, form, {**INPUTS, "amount": "0", "end_to_end_id": "/x/"})
    assert {error.field for error in ruled} == {"amount", "end_to_end_id"}
    assert checks.problems(PAYMENT, form, INPUTS) == ()


def test_differences_to_the_last_payment_name_only_what_both_show() -> None:
    past = PastPayment(NOW, {"creditor_name": "Reifen  VOSS KG", "amount": Decimal("300"), "status": "settled"})
    assert differences(PAYMENT, INPUTS, past) == [("amount", Decimal("300"), Decimal("297.5"))]


def test_a_spreadsheet_takes_no_cell_for_a_formula() -> None:
    facts = input_facts(PAYMENT.inputs, {"creditor_name": "=1+1"}, EN)
    one = replace(run("done").run, person="=cmd()")
    text = as_csv([RunLine(one, "Pay", facts, Standing("", "Done", ""))], EN).decode("utf-8-sig")
    assert "'=cmd()" in text
    assert "\n=" not in text


def test_a_spreadsheet_keeps_every_digit_of_a_key() -> None:
    facts = input_facts(PAYMENT.inputs, {"creditor_name": "Voss"}, EN)
    one = replace(run("done").run, key="20261118000000017")
    text = as_csv([RunLine(one, "Pay", facts, Standing("", "Done", ""))], EN).decode("utf-8-sig")
    assert '"=""20261118000000017"""' in text


def test_a_filter_by_day_that_cannot_be_read_is_not_taken_for_none() -> None:
    assert Filters(since="2026-11-01", until="15.11.2026").readable
    assert Filters().readable
    assert not Filters(since="31.02.2026").readable


def test_filters_survive_the_address_and_unknown_ones_are_left_out() -> None:
    filters = Filters.of({"text": "voss", "state": "done", "since": "2026-11-01", "evil": "x"})
    assert Filters.of(filters.as_query()) == filters
    wanted = replace(filters, state="nonsense", until="no day").wanted()
    assert wanted.state is None
    assert wanted.until is None
