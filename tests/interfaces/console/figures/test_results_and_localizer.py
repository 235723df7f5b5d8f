"""Tables, charts and sentences: what people see of an answer."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.interfaces.console.figures import charts
from connector.interfaces.console.figures.chart_data import BarChart, LineChart
from connector.interfaces.console.figures.chart_data import chart_of as chart_in
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.result_rows import declared_rows, table_of

CONNECTOR = Connector()


def chart_of(action: Any, output: Any) -> Any:
    return chart_in(action, output, Localizer("en").result(CONNECTOR.library, action), CONNECTOR.library)


@pytest.mark.parametrize(("lang", "shown"), [("en", "−1,234.50"), ("de", "−1.234,50")])
def test_amounts_are_written_as_the_visitor_reads_them(lang: str, shown: str) -> None:
    assert Localizer(lang).amount(Decimal("-1234.5")) == shown


def test_no_digit_is_lost_for_the_looks() -> None:
    assert Localizer("en").amount(Decimal("0.12345678901234567")) == "0.12345678901234567"
    assert Localizer("en").format_value("900000000000000123", "id") == "900000000000000123"


@pytest.mark.parametrize(
    ("cookie", "accepted", "lang"),
    [(None, "de-DE,de;q=0.9,en;q=0.8", "de"), (None, "fr,en;q=0.5", "en"), ("en", "de", "en"), ("xx", None, "en")],
)
def test_the_visitors_choice_comes_before_the_browsers(
    cookie: str | None, accepted: str | None, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KONTOR_LANG", raising=False)
    assert Localizer.from_request(cookie, accepted).lang == lang


def test_kontor_lang_decides_where_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_LANG", "de")
    assert Localizer.from_request(None, None).lang == "de"


def open_items() -> dict[str, Any]:
    posts = [
        {"beleg": "A", "belegdatum": "2026-04-30", "saldo": Decimal("0.10")},
        {"beleg": "B", "belegdatum": "2026-03-31", "saldo": Decimal("0.20")},
        {"beleg": "C", "belegdatum": "2025-01-01", "saldo": Decimal("0.70")},
    ]
    account = {"kontonummer": "100100007", "bezeichnung": "Petersen", "isDebitor": True, "posten": posts}
    return {"stichtag": "2026-04-30", "konten": [account]}


def test_open_items_are_sorted_into_ages_exactly() -> None:
    chart = chart_of(CONNECTOR.action("get_open_items"), open_items())
    assert chart == BarChart(
        ("age_0", "age_1", "age_2", "age_3"),
        {"debtors": (Decimal("0.30"), Decimal(0), Decimal(0), Decimal("0.70"))},
    )
    action = CONNECTOR.action("get_open_items")
    table = table_of(action, open_items(), Localizer("en").result(CONNECTOR.library, action))
    assert [row["beleg"] for row in table.rows] == ["A", "B", "C"]
    assert "saldo" in table.numeric


def test_a_trial_balance_shows_the_largest_first_with_credit_below_zero() -> None:
    sample = CONNECTOR.action("get_trial_balance").sample
    chart = chart_of(CONNECTOR.action("get_trial_balance"), sample)
    assert isinstance(chart, BarChart)
    assert chart.labels[0].startswith("8400")
    assert chart.series["balance"][0] < 0 < chart.series["balance"][1]


def movement(id: str, day: str, amount: str, snapshot: str | None, account: str = "1") -> dict[str, Any]:
    extra = {} if snapshot is None else {"account_balance_snapshot": Decimal(snapshot)}
    return {"id": id, "made_on": day, "amount": Decimal(amount), "account_id": account, "extra": extra}


def test_a_balance_is_the_banks_own_where_it_told_it() -> None:
    rows = [movement("2", "2026-01-02", "5", "15"), movement("1", "2026-01-01", "10", "10")]
    chart = chart_of(CONNECTOR.action("list_transactions"), {"items": rows})
    assert chart == LineChart((date(2026, 1, 1), date(2026, 1, 2)), (Decimal(10), Decimal(15)), True)


def test_movements_of_several_accounts_are_added_up_and_not_called_a_balance() -> None:
    rows = [movement("1", "2026-01-01", "10", "10"), movement("2", "2026-01-02", "5", "99", account="2")]
    chart = chart_of(CONNECTOR.action("list_transactions"), {"items": rows})
    assert chart == LineChart((date(2026, 1, 1), date(2026, 1, 2)), (Decimal(10), Decimal(15)), False)


@pytest.mark.parametrize("action", CONNECTOR.actions.values(), ids=lambda one: one.id)
def test_every_sample_can_be_shown(action: Any) -> None:
    for localize in (Localizer("en"), Localizer("de")):
        text = localize.result(CONNECTOR.library, action)
        table = table_of(action, action.sample, text)
        assert len(table.rows) == len(declared_rows(action, action.sample))
        for row in table.rows:
            assert all(isinstance(text.value(row[name], name, row), str) for name in table.columns)
        chart = chart_of(action, action.sample)
        if chart is not None:
            assert "<script" not in charts.draw(chart, localize)


def test_a_chart_escapes_what_the_service_wrote() -> None:
    drawn = charts.bars(BarChart(("<script>alert(1)</script>",), {"balance": (Decimal(1),)}), Localizer("en"))
    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn


@pytest.mark.parametrize(
    "manifest", [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values()], ids=lambda one: one.id
)
def test_heads_of_tables_are_words_and_told_apart(manifest: Any) -> None:
    columns = list(manifest.raw["output"].get("columns", ()))
    for lang in ("en", "de"):
        heads = Localizer(lang).result(CONNECTOR.library, manifest).labels(columns)
        assert len(set(heads)) == len(columns)
        assert not [head for head in heads if "_" in head or head[:1].islower()]


def test_known_values_are_words_and_others_as_they_came() -> None:
    text = Localizer("de").result(CONNECTOR.library, CONNECTOR.action("list_payments"))
    assert text.value("settled", "status") == "Endgültig ausgeführt"
    assert text.value("later", "status") == "later"
    changed = Localizer("de").result(CONNECTOR.library, CONNECTOR.trigger("payment_status_changed"))
    assert changed.value("executed", "_previous_status") == "Ausgeführt, nicht endgültig"
    assert changed.label("_previous_status") == "Status zuvor"
