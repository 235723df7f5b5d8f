"""Whatever is entered, in every action: an input error that names the field, nothing sent, never a traceback."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connector import Connector, Credential
from connector.core import limits
from connector.core.callers import Invoker
from connector.core.errors import InputError
from connector.runtime.invoke import plan
from connector.runtime.requests.request import handler_function
from connector.runtime.session import Session

CONNECTOR = Connector("unused")
CREDENTIAL = Credential("https://service.example", "a-key")

deep: Any = "x"
for _ in range(300):
    deep = [deep]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**20, max_value=10**400),
    st.floats(allow_nan=True, allow_infinity=True),
    st.decimals(allow_nan=True, allow_infinity=True),
    st.text(max_size=60),
    st.text(alphabet="\x00\u202e\ud800\n\t😀ẞ'\"<>{}%../\\", max_size=20),
    st.sampled_from(
        ["", " ", "x" * 100_000, "1,50", "1e999", "NaN", "-0", "2026-02-30", "2026-13-01T00:00", "../..", "0x10"]
    ),
    st.binary(max_size=20),
    st.sampled_from(
        [date(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None), Decimal("1e-40"), object()]
    ),
)
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.text(max_size=12), st.integers()), inner, max_size=4)
    ),
    max_leaves=8,
) | st.just(deep)


def fitting(fields: Any) -> Any:
    """Sometimes right, sometimes wrong, with the real names, so that deeper checks are reached too."""
    values = {}
    for field in fields:
        right = st.just(field.example) if field.example is not None else st.nothing()
        below = st.lists(fitting(field.fields), max_size=3) if field.type == "list" else st.nothing()
        inside = fitting(field.fields) if field.type == "object" and field.fields else st.nothing()
        values[field.name] = st.one_of(right, junk, below, inside)
    return st.fixed_dictionaries({}, optional=values)


def works(id: str) -> Any:
    session = Session(CONNECTOR.shared, CREDENTIAL, "", None)
    return session._procedures._context(CONNECTOR.action(id), Invoker())


@pytest.mark.parametrize("examples", [30, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("id", sorted(CONNECTOR.actions))
def test_bad_inputs_are_input_errors_that_name_a_field(id, examples):
    work = works(id)
    known = {field.name for field in work.action.inputs}

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.one_of(fitting(work.action.inputs), st.dictionaries(st.text(max_size=12), junk, max_size=5)))
    def check(raw: Any) -> None:
        try:
            inputs, call, _ = plan(work, raw, None)
        except InputError as error:
            told = error
        else:
            assert set(inputs) <= known
            assert call.path.startswith("/v2/")
            assert not {".", ".."} & set(call.path.split("/")), "an id leads nowhere else"
            return
        assert told.field
        assert told.outcome == "not_sent"
        assert told.message.en
        assert told.message.de
        assert told.remedy.de

    check()


@pytest.mark.parametrize("raw", [None, [], "text", 7, {1: 2}])
@pytest.mark.parametrize("id", ["create_cash_book_entry", "list_bank_accounts", "call_api"])
def test_inputs_that_are_not_names_with_values_are_input_errors(id, raw):
    with pytest.raises(InputError):
        plan(works(id), raw, None)


@settings(max_examples=60, deadline=None)
@given(junk)
def test_lookups_take_no_nonsense_either(value):
    for lookup in CONNECTOR.lookups.values():
        inputs = CONNECTOR.inputs(lookup)
        for field in lookup.inputs:
            try:
                cleaned = inputs.clean({field.name: value})
            except InputError as error:
                assert error.field  # noqa: PT017
            else:
                assert set(cleaned) <= {field.name for field in lookup.inputs}


def test_code_that_refuses_something_speaks_through_its_manifest():
    """The sentences of a module are in its manifest: one that is missing would be a KeyError for the user."""
    for action in CONNECTOR.actions.values():
        assert handler_function(action, "check") is None or action.messages, action.id


WRITTEN = {
    "money": "muss eine Zahl sein",
    "integer": "muss eine ganze Zahl sein",
    "boolean": "muss ja oder nein sein",
    "date": "muss ein bestehendes Datum sein",
    "date-time": "muss ein Datum mit Uhrzeit sein",
}


def first_with(type: str) -> Any:
    return next(
        (action.id, field.name)
        for action in CONNECTOR.actions.values()
        for field in action.inputs
        if field.type == type
    )


def messages_about(id: str, name: str, value: Any) -> str:
    """What is said of one input, and of those that are missing."""
    with pytest.raises(InputError) as refused:
        plan(works(id), {name: value}, None)
    return f"{refused.value.message.de} {refused.value.details}"


@pytest.mark.parametrize("type", WRITTEN)
@pytest.mark.parametrize("sign", ["1", "1.", "ä", " "])
def test_a_text_that_is_too_long_to_be_a_number_or_a_date_is_refused_as_none(type: str, sign: str) -> None:
    said = messages_about(*first_with(type), f"1{sign * limits.MAX_WRITTEN_CHARACTERS}1")
    assert WRITTEN[type] in said


@pytest.mark.parametrize("type", ["list", "object"])
def test_a_json_text_that_holds_more_than_is_read_is_refused_as_that(type: str) -> None:
    text = "[" + "{}," * limits.MAX_MEMBERS + "{}]"
    said = messages_about(*first_with(type), text if type == "list" else f'{{"a": {text}}}')
    assert "ist ein JSON-Text, der nicht gelesen wird: es enthält mehr als 100000 Werte" in said
