"""What the pages about money say of an answer."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.interfaces.console.figures.money_data import (
    LATEST,
    account_input,
    ages_of,
    by_age,
    cutoff_of,
    day_column,
    last_days,
    stage_of,
    with_rows,
)
from connector.interfaces.console.figures.result_data import Table, table_of

CONNECTOR = Connector()


def open_items(*items: tuple[str, str]) -> Table:
    posts = [{"beleg": day, "belegdatum": day, "saldo": Decimal(amount)} for day, amount in items]
    output = {"konten": [{"kontonummer": "1", "bezeichnung": "Petersen", "isDebitor": True, "posten": posts}]}
    return table_of(CONNECTOR.action_for("open_items"), output)


def test_open_items_fall_into_ages_by_the_day_of_their_document() -> None:
    table = open_items(("2026-04-30", "0.10"), ("2026-03-31", "0.20"), ("2026-03-30", "0.30"), ("2025-01-01", "0.70"))
    ages = ages_of(table, "2026-04-30")
    assert ages == [0, 0, 1, 3]
    found = {age.index: (age.count, age.amount) for age in by_age(table, ages)}
    assert found == {0: (2, Decimal("0.30")), 1: (1, Decimal("0.30")), 2: (0, 0), 3: (1, Decimal("0.70"))}
    assert [row["beleg"] for row in with_rows(table, [age == 3 for age in ages]).rows] == ["2025-01-01"]


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("initiated", "in_flight"),
        ("executed", "in_flight"),
        ("settled", "settled"),
        ("rejected", "failed"),
        ("new_one", "in_flight"),
    ],
)
def test_only_what_is_final_is_no_longer_in_flight(status: str, stage: str) -> None:
    assert stage_of({"status": status}) == stage


@pytest.mark.parametrize(("output", "day"), [({"stichtag": "2026-04-30"}, "2026-04-30"), ({}, "2026-05-04")])
def test_ages_count_to_the_cut_off_date(output: Any, day: str) -> None:
    assert cutoff_of(output, date(2026, 5, 4)) == day


def test_the_manifests_tell_which_field_names_an_account_and_which_is_the_day() -> None:
    field, lookup = account_input(CONNECTOR)
    accounts, transactions = CONNECTOR.action_for("account_list"), CONNECTOR.action_for("transaction_list")
    assert field in transactions.inputs
    named = [lookup.options.entry(row) for row in accounts.sample["items"]]
    assert [one.value for one in named if one is not None] == [row["id"] for row in accounts.sample["items"]]
    day = day_column(transactions, CONNECTOR.library)
    assert day in transactions.sample["items"][0]
    rows = tuple({day: f"2026-05-{number:02d}"} for number in (*range(1, 20), 10, 10))
    assert sum(last_days(Table((day,), rows, frozenset()), day)) == LATEST + 2
