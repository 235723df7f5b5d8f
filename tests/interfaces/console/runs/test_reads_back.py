"""Every typed value that the command line and the console print reads back equal, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector import Connector
from connector.core.data.fields import Choice, Field
from connector.core.manifest.inputs import Inputs
from connector.core.messages import Text
from connector.core.rules import Rules
from connector.core.values import currencies
from connector.interfaces.cli.result_output import format_value
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.result_text import ResultText

CONNECTOR = Connector()
BERLIN = ZoneInfo("Europe/Berlin")
CODES = [(one["code"], one["decimals"]) for one in currencies.table()]
DAYS = [date(2026, 1, 1) + timedelta(days=one) for one in range(2 * 365)]
Show = Callable[[Any, str, dict[str, Any]], str]


def on_the_command_line(lang: str) -> Show:
    def show(value: Any, name: str, row: dict[str, Any]) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KONTOR_LANG", lang)
            return format_value(value, name, row)

    return show


FACES = [
    on_the_command_line("de"),
    on_the_command_line("en"),
    Localizer("de").format_value,
    Localizer("en").format_value,
]
each_face = pytest.mark.parametrize("show", FACES, ids=["cli-de", "cli-en", "console-de", "console-en"])


@cache
def form(type: str, **more: Any) -> Inputs:
    name = Text("Value", "Wert")
    fields = [Field("value", type, name, name, **more), Field("currency", "string", name, name)]
    return Inputs(fields, Rules([], fields, CONNECTOR.library.file_kinds), CONNECTOR.library.formats)


def read(type: str, written: str, **more: Any) -> Any:
    """What a form makes of a text, without a warning."""
    warnings: list[Text] = []
    unit = written.rpartition(" ")[2]
    found = form(type, **more).clean({"value": written, "currency": unit if unit.isalpha() else "EUR"}, warnings)
    assert warnings == []
    return found["value"]


def amounts(decimals: int) -> st.SearchStrategy[Decimal]:
    """Up to 17 digits, as many of them decimals as the currency has."""
    return st.integers(-(10**17) + 1, 10**17 - 1).map(lambda units: Decimal(units).scaleb(-decimals))


@each_face
@given(st.data())
def test_amounts(show: Show, data: st.DataObject) -> None:
    code, decimals = data.draw(st.sampled_from(CODES))
    value = data.draw(amounts(decimals))
    written = show(value, "amount", {"currency_code": code})
    assert read("money", f"{written} {code}", currency_field="currency") == value
    assert read("number", written) == value


@each_face
@given(value=st.integers(-(2**53) + 1, 2**53 - 1))
def test_integers_are_not_grouped(show: Show, value: int) -> None:
    written = show(value, "ticket_count", {})
    assert written.lstrip("-−").isdigit()
    assert read("integer", written) == value


@each_face
def test_every_day_of_two_years(show: Show) -> None:
    assert [read("date", show(day.isoformat(), "made_on", {})) for day in DAYS] == DAYS
    assert [show(day, "made_on", {}) for day in DAYS] == [show(day.isoformat(), "made_on", {}) for day in DAYS]


@each_face
@pytest.mark.parametrize("clock", [(0, 0), (23, 59)])
def test_the_first_and_the_last_minute_of_every_day(show: Show, clock: tuple[int, int]) -> None:
    moments = [datetime(day.year, day.month, day.day, *clock, tzinfo=BERLIN) for day in DAYS]
    written = [show(moment.isoformat(), "created_at", {}) for moment in moments]
    assert [read("date-time", one) for one in written] == moments
    assert [read("date", one) for one in written] == DAYS


@each_face
@pytest.mark.parametrize("value", [True, False])
def test_truth_values(show: Show, value: bool) -> None:
    assert read("boolean", show(value, "pending", {})) is value


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", sorted({*CONNECTOR.library.words} - {"provider_word"}))  # of several spellings
def test_known_values_where_a_form_offers_them(name: str, lang: str) -> None:
    words = CONNECTOR.library.words[name]
    values = tuple(Choice(value, Text(said["en"], said["de"])) for value, said in words.items())
    text = ResultText.of_inputs(lang, [Field("value", "enum", Text("", ""), Text("", ""), values=values)])
    for value in words:
        assert read("enum", text.value(value, "value"), values=values) == value


@pytest.mark.parametrize("lang", ["en", "de"])
def test_every_choice_of_every_form(lang: str) -> None:
    manifests = [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values(), *CONNECTOR.lookups.values()]
    fields = [field for one in manifests for field in one.inputs if field.values]
    assert len(fields) > 10
    for field in fields:
        text = ResultText.of_inputs(lang, [field])
        for choice in field.values:
            assert read("enum", text.value(choice.value, field.name), values=field.values) == choice.value
