"""`--set` and `--input`: how text on the command line becomes inputs."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.errors import InputError
from connector.interfaces.cli.inputs_from_args import inputs_from
from connector.runtime.connector import Connector

CONNECTOR = Connector()
CASH = CONNECTOR.action("create_cash_book_entry").inputs
PAYMENT = CONNECTOR.action("initiate_payment").inputs


def test_amounts_and_ids_stay_the_text_that_was_typed() -> None:
    assert inputs_from(PAYMENT, None, ["amount=12.50", "account_id=222483902742913301"]) == {
        "amount": "12.50",
        "account_id": "222483902742913301",
    }


def test_lists_and_objects_are_built_step_by_step() -> None:
    sets = ["belegzeilen[0].betrag=1.00", "belegzeilen[0].steuersatz.prozent=19", "belegzeilen[1].betrag=2.00"]
    assert inputs_from(CASH, None, sets) == {
        "belegzeilen": [{"betrag": "1.00", "steuersatz": {"prozent": "19"}}, {"betrag": "2.00"}]
    }


def test_a_whole_list_may_be_given_as_json_with_exact_numbers() -> None:
    (line,) = inputs_from(CASH, None, ['belegzeilen=[{"betrag": 0.10}]'])["belegzeilen"]
    assert str(line["betrag"]) == "0.10"
    assert isinstance(line["betrag"], Decimal)


def test_a_free_object_takes_json_where_it_is_json_and_text_where_it_is_not() -> None:
    sets = ["custom_fields.order=A1", "custom_fields.count=7", 'custom_fields.text="7"', "custom_fields.deep.er=true"]
    assert inputs_from(PAYMENT, None, sets) == {
        "custom_fields": {"order": "A1", "count": 7, "text": "7", "deep": {"er": True}}
    }


def test_a_member_that_is_given_twice_in_a_value_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        inputs_from(PAYMENT, None, ['custom_fields.order={"a": 1, "a": 2}'])
    assert refused.value.field == "custom_fields.order"
    for field, text in ((PAYMENT, "custom_fields={}"), (CASH, "belegzeilen=[{}]")):
        given = inputs_from(field, None, [text.replace("{}", '{"betrag": 1, "betrag": 2}')])
        assert isinstance(next(iter(given.values())), str), "left to whoever checks the inputs, who names it"


def test_a_value_may_hold_equals_signs_blanks_and_at_signs() -> None:
    sets = ["description=a = b", "creditor_name=@home"]
    assert inputs_from(PAYMENT, None, sets) == {"description": "a = b", "creditor_name": "@home"}


def test_only_a_file_field_reads_a_file(tmp_path: Path) -> None:
    (tmp_path / "receipt.png").write_bytes(b"\x89PNG")
    sets = [f"belegbilder[0].content=@{tmp_path / 'receipt.png'}"]
    assert inputs_from(CASH, None, sets) == {"belegbilder": [{"content": b"\x89PNG"}]}


def test_a_later_set_wins_over_an_earlier_one() -> None:
    assert inputs_from(PAYMENT, None, ["amount=1", "creditor_name=Voss", "amount=2"])["amount"] == "2"


def test_set_wins_over_input_and_leaves_the_rest() -> None:
    text = '{"amount": 1.0, "custom_fields": {"a": 1, "b": 2}}'
    assert inputs_from(PAYMENT, text, ["custom_fields.b=3", "amount=2.00"]) == {
        "amount": "2.00",
        "custom_fields": {"a": 1, "b": 3},
    }


@pytest.mark.parametrize(
    "sets",
    [
        ["betrag"],
        ["=1"],
        ["belegzeilen[].betrag=1"],
        ["belegzeilen[1].betrag=1"],
        ["belegzeilen[9999].betrag=1"],
        ["belegzeilen.betrag=1", "belegzeilen[0].betrag=1"],
        ["betrag=1", "betrag.more=1"],
        ["a..b=1"],
    ],
)
def test_what_cannot_be_placed_is_refused(sets: list[str]) -> None:
    with pytest.raises(InputError):
        inputs_from(CASH, None, sets)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '"text"', '{"a": NaN}', "[" * 5000])
def test_an_input_that_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        inputs_from(CASH, text, [])
    assert refused.value.field == "--input"


def test_the_place_where_an_input_is_no_json_is_told_in_both_languages() -> None:
    with pytest.raises(InputError) as refused:
        inputs_from(CASH, '{"waehrung": EUR}', [])
    assert refused.value.message == (
        "The inputs are not JSON: the mistake is near line 1, character 14.",
        "Die Eingaben sind kein JSON: der Fehler liegt bei Zeile 1, Zeichen 14.",
    )


@given(st.lists(st.text(max_size=30), max_size=4), st.one_of(st.none(), st.text(max_size=30)))
def test_whatever_is_typed_gives_inputs_or_an_input_error(sets: list[str], text: str | None) -> None:
    try:
        found: Any = inputs_from(CASH, None if text == "-" else text, sets)
    except InputError:
        return
    assert isinstance(found, dict)
