"""What a form makes of what people type."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector import Connector
from connector.interfaces.console.forms import form_model
from connector.interfaces.console.forms.form_model import (
    compute_sum,
    draft_of_query,
    empty_draft,
    inputs_of,
    lookup_inputs,
    sum_rule_of,
)

CONNECTOR = Connector()
CASH = CONNECTOR.action("create_cash_book_entry")
ADDITION = sum_rule_of(CASH.inputs)
CENTS = st.integers(min_value=-(10**9), max_value=10**9).map(lambda cents: Decimal(cents).scaleb(-2))


def draft_of(total: str, *lines: str) -> dict[str, Any]:
    return {"betrag": total, "belegzeilen": [{"betrag": line} for line in lines]}


@pytest.mark.parametrize(
    "manifest", [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values()], ids=lambda one: one.id
)
def test_a_blank_form_of_every_manifest_gives_only_its_defaults(manifest: Any) -> None:
    inputs = inputs_of(manifest.inputs, empty_draft(manifest.inputs))
    defaults = {field.name for field in manifest.inputs if field.default is not None and not field.internal}
    assert set(inputs) == defaults


def test_the_addition_of_a_cash_book_entry_is_found_in_its_manifest() -> None:
    assert form_model.SumRule("belegzeilen", "betrag", "waehrung") == ADDITION
    assert sum_rule_of(CONNECTOR.action("initiate_payment").inputs) is None


def test_one_cent_is_one_cent() -> None:
    assert ADDITION is not None
    found = compute_sum(ADDITION, draft_of("119.01", "100.50", "18.50"))
    assert found.lines == Decimal("119.00")
    assert found.difference == Decimal("-0.01")


@given(st.lists(CENTS, min_size=1, max_size=30))
def test_lines_add_up_exactly_whatever_they_are(amounts: list[Decimal]) -> None:
    assert ADDITION is not None
    found = compute_sum(ADDITION, draft_of(f"{sum(amounts):f}", *(f"{amount:f}" for amount in amounts)))
    assert found.difference == 0
    assert not found.unreadable


def test_a_line_that_is_no_number_is_named_and_not_counted() -> None:
    assert ADDITION is not None
    found = compute_sum(ADDITION, draft_of("5", "5", "five", ""))
    assert found.unreadable == (2,)
    assert found.lines == 5


def test_no_total_means_no_difference() -> None:
    assert ADDITION is not None
    assert compute_sum(ADDITION, draft_of("", "5")).difference is None


def test_amounts_are_added_as_the_runtime_reads_them() -> None:
    assert ADDITION is not None
    found = compute_sum(ADDITION, draft_of("1.276,21 €", "41,65", "−41,65", "1.234,56", "41.65", "1.234"))
    assert found.unreadable == (5,), "1.234 may be read in two ways"
    assert found.difference == 0


def test_what_is_empty_is_left_out_and_lines_keep_their_order() -> None:
    draft = empty_draft(CASH.inputs)
    draft |= {"betrag": "3,00", "client": "", "belegbilder": [{"content": None, "dateiname": ""}]}
    draft["belegzeilen"] = [{"betrag": "1"}, {"betrag": "", "steuersatz": {"prozent": ""}}, {"betrag": "2"}]
    inputs = inputs_of(CASH.inputs, draft)
    assert inputs == {"betrag": "3,00", "waehrung": "EUR", "belegzeilen": [{"betrag": "1"}, {"betrag": "2"}]}


def test_a_dependent_dropdown_asks_with_what_the_form_says() -> None:
    field = next(field for field in CASH.inputs if field.name == "kassenname")
    given_now, needs = lookup_inputs(field, {"ledger_connection": "abc", "client": None})
    assert given_now == {"ledger_connection": "abc"}
    assert needs == ("ledger_connection", "client")
    lookup = CONNECTOR.lookup("cash_books")
    assert [field.name for field in form_model.missing_for_lookup(lookup.inputs, {})] == ["ledger_connection"]


PAYMENT = CONNECTOR.action("initiate_payment")


@pytest.mark.parametrize(("lang", "shown"), [("de", "15.05.2027"), ("en", "2027-05-15")])
def test_a_day_is_shown_as_the_page_writes_days(lang: str, shown: str) -> None:
    draft = form_model.draft_of(PAYMENT.inputs, {"execution_date": "2027-05-15"}, lang)
    assert draft["execution_date"] == shown
    assert inputs_of(PAYMENT.inputs, draft)["execution_date"] == shown


@pytest.mark.parametrize("lang", ["de", "en"])
@pytest.mark.parametrize(
    "moment", ["2026-05-04T10:30:00+02:00", "2026-05-04T10:30:15+02:00", "2026-10-25T02:30:00+01:00"]
)
def test_a_point_in_time_reads_back_equal_from_its_form(lang: str, moment: str) -> None:
    field = next(field for field in CASH.inputs if field.type == "date-time")
    draft = form_model.draft_of([field], {field.name: moment}, lang)
    reader = form_model.FieldReader(field, (), CONNECTOR.library.formats)
    assert reader.read(draft[field.name], {}).isoformat() == datetime.fromisoformat(moment).isoformat()


def test_an_address_fills_in_values_and_drops_nothing_that_it_cannot_read() -> None:
    given = {"execution_date": "2027-05-15", "amount": "1234.5", "creditor_name": "Voss", "unknown": "x"}
    formats = CONNECTOR.library.formats
    filled = draft_of_query(PAYMENT.inputs, given, formats, "de")
    assert filled == {"execution_date": "15.05.2027", "amount": "1234,50", "creditor_name": "Voss"}
    unread = draft_of_query(PAYMENT.inputs, {"execution_date": "31.02.2027", "amount": "viel"}, formats, "de")
    assert unread == {"execution_date": "31.02.2027", "amount": "viel"}
    accounts = CONNECTOR.action("list_bank_accounts").inputs
    assert draft_of_query(accounts, {"payments_only": "false"}, formats, "en") == {"payments_only": False}
    assert draft_of_query(CASH.inputs, {"belegzeilen": "no list"}, formats, "en") == {}


def test_what_an_address_names_reads_back_from_it() -> None:
    inputs = CONNECTOR.inputs(PAYMENT).clean(
        {"account_id": "1", "creditor_name": "V", "creditor_iban": "DE02120300000000202051", "amount": "12,50"}
        | {"execution_date": "15.5.27", "custom_fields": {"a": "b"}}
    )
    query = form_model.query_of(inputs)
    assert query["execution_date"] == "2027-05-15"
    again = inputs_of(PAYMENT.inputs, draft_of_query(PAYMENT.inputs, query, CONNECTOR.library.formats, "de"))
    assert CONNECTOR.inputs(PAYMENT).clean(again) == inputs
