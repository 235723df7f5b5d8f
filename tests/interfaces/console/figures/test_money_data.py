"""What the pages about money say of an answer."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.interfaces.console.figures.open_items import age_of, cutoff_of, sides_of
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.money.account_classes import CREDITORS, DEBTORS, OTHERS, classes_of
from connector.interfaces.console.money.bank_rows import LATEST, BankRows
from connector.interfaces.console.money.payments import stage_of
from connector.interfaces.console.money.row_links import account_input, ids_of_accounts
from connector.interfaces.console.money.trial_balance import by_class
from connector.interfaces.result_rows import newest_first, table_of
from connector.interfaces.result_text import ResultText

CONNECTOR = Connector()
OPEN_ITEMS, ROWS = CONNECTOR.action_for("open_items"), CONNECTOR.action_for("transaction_list")
TRIAL_BALANCE = CONNECTOR.action_for("trial_balance")


def text_of(action: Any, lang: str = "en") -> ResultText:
    return Localizer(lang).result(CONNECTOR.library, action)


def account(number: str, *items: tuple[str, str], is_debtor: bool = True) -> dict[str, Any]:
    posts = [{"beleg": day, "belegdatum": day, "saldo": Decimal(amount)} for day, amount in items]
    return {"kontonummer": number, "bezeichnung": "Petersen", "isDebitor": is_debtor, "posten": posts}


def test_debtors_and_creditors_are_kept_apart_in_every_age() -> None:
    output = {
        "konten": [
            account("100100007", ("2026-04-30", "0.10"), ("2026-03-31", "0.20"), ("2026-03-30", "0.30")),
            account("700100001", ("2026-04-29", "-5.00"), ("2025-01-01", "-0.70"), is_debtor=False),
            account("100100008", ("2025-01-01", "0.70"), ("unknown", "1.00")),
        ]
    }
    text = text_of(OPEN_ITEMS)
    debtors, creditors = sides_of(table_of(OPEN_ITEMS, output, text), text.parts, date(2026, 4, 30))
    assert [(age.count, age.amount) for age in debtors.by_age] == [
        (2, Decimal("0.30")),
        (1, Decimal("0.30")),
        (0, Decimal(0)),
        (1, Decimal("0.70")),
    ]
    assert [(age.count, age.amount) for age in creditors.by_age] == [
        (1, Decimal("-5.00")),
        (0, Decimal(0)),
        (0, Decimal(0)),
        (1, Decimal("-0.70")),
    ]
    assert (debtors.total, creditors.total) == (Decimal("2.30"), Decimal("-5.70"))  # with the item without a day
    assert [row["beleg"] for row in debtors.of_age(3).rows] == ["2025-01-01"]
    assert len(debtors.of_age(None).rows) == 5


def test_only_the_sides_that_were_asked_for_are_shown() -> None:
    text, output = text_of(OPEN_ITEMS), {"konten": [account("700100001", ("2026-04-29", "-5.00"), is_debtor=False)]}
    sides = sides_of(table_of(OPEN_ITEMS, output, text), text.parts, date(2026, 4, 30))
    assert [side.name for side in sides] == ["creditors"]


@pytest.mark.parametrize(
    ("day", "age"), [("2026-05-01", 0), ("2026-03-31", 0), ("2026-03-30", 1), ("2026-01-29", 3), ("x", None)]
)
def test_an_item_is_as_old_as_its_document(day: str, age: int | None) -> None:
    assert age_of(date(2026, 4, 30), day) == age


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("initiated", "in_flight"),
        ("executed", "in_flight"),
        ("settled", "settled"),
        ("rejected", "failed"),
        ("new_one", "in_flight"),
        (None, "in_flight"),
    ],
)
def test_only_what_is_final_is_no_longer_in_flight(status: str, stage: str) -> None:
    assert stage_of(status) == stage


@pytest.mark.parametrize(("output", "day"), [({"stichtag": "2026-04-30"}, date(2026, 4, 30)), ({}, None), (None, None)])
def test_ages_count_to_the_cut_off_date(output: Any, day: date | None) -> None:
    assert cutoff_of(OPEN_ITEMS, output, CONNECTOR.library) == day


def test_the_manifests_tell_which_field_names_an_account() -> None:
    field, _ = account_input(CONNECTOR)
    accounts = CONNECTOR.action_for("account_list").sample["items"]
    assert field in ROWS.inputs
    assert ids_of_accounts(CONNECTOR, accounts) == [row["id"] for row in accounts]


def row(id: int, day: str, **further: Any) -> dict[str, Any]:
    return {"id": str(id), "made_on": day, "amount": Decimal("-1.00"), **further}


def test_the_newest_bank_row_comes_first_and_of_one_day_the_one_that_came_in_last() -> None:
    rows = [row(9, "2026-05-01"), row(11, "2026-05-03"), row(10, "2026-05-03"), row(100, "2026-04-01")]
    text = text_of(ROWS)
    table = newest_first(table_of(ROWS, {"items": rows}, text), text.parts)
    assert [one["id"] for one in table.sources] == ["11", "10", "9", "100"]


def test_the_latest_rows_are_ten_and_the_rest_of_their_last_day() -> None:
    rows = [row(number, f"2026-05-{number:02d}") for number in (*range(1, 20), 10, 10)]
    text = text_of(ROWS)
    table = newest_first(table_of(ROWS, {"items": rows}, text), text.parts)
    assert len(BankRows(table, text, ("",) * len(rows)).latest().table.rows) == LATEST + 2


def test_accounts_stand_in_the_class_of_their_first_digit_and_person_accounts_behind_them() -> None:
    numbers = ["8400", "0320", "14100001", "100100000", "700100003", "1200", "10000", "S-1"]
    assert [found.rank for found in classes_of(numbers)] == [8, 0, 1, DEBTORS, CREDITORS, 1, DEBTORS, OTHERS]


def test_an_account_of_class_0_that_lost_its_zero_is_still_in_class_0() -> None:
    assert [found.rank for found in classes_of(["320", "8400", "1000"])] == [0, 8, 1]
    assert [found.rank for found in classes_of(["27000", "1200000", "8400000"])] == [0, 1, 8]
    assert [found.rank for found in classes_of(["1200"])] == [1]
    assert classes_of([]) == []


@pytest.mark.parametrize(
    ("lang", "first", "debtors"), [("de", "Kontenklasse 0", "Debitoren"), ("en", "Class 0", "Debtors")]
)
def test_a_trial_balance_is_sorted_by_number_with_a_sum_for_each_class(lang: str, first: str, debtors: str) -> None:
    def line(number: str, amount: str, side: str) -> dict[str, Any]:
        return {"kontonummer": number, "saldo": {"betrag": Decimal(amount), "sollHabenKennzeichen": side}}

    rows = [line("8400", "9", "HABEN"), line("100100001", "4", "SOLL"), line("14100001", "3", "SOLL")]
    rows += [line("1200", "5", "SOLL"), line("0320", "2", "SOLL"), line("1000", "7", "HABEN")]
    model = by_class(TRIAL_BALANCE, {"items": rows}, text_of(TRIAL_BALANCE, lang), Localizer(lang))
    lines = model.lines(model.order())
    numbers = [model.texts[one][0] for one in lines if isinstance(one, int)]
    assert numbers == ["0320", "1000", "1200", "14100001", "8400", "100100001"]
    heads = [(one["group"], one["totals"][-1].split()[0]) for one in lines if isinstance(one, dict)]
    assert [amount.replace(",", ".") for _, amount in heads] == ["2.00", "1.00", "9.00", "4.00"]
    assert heads[0][0] == first
    assert heads[-1][0] == debtors
