"""Suggestions: which fields offer them, what fits what was typed, and what choosing one fills."""

from __future__ import annotations

from connector import Connector
from connector.interfaces.console.forms.suggestions import MAX_SHOWN, filled_by, fitting, suggested_at
from connector.runtime.result import Option

ACTION = Connector().action("initiate_payment")
VOSS = Option("DE02120300000000202051", "Reifen Voss KG, DE02120300000000202051", "Settled, final, 2026-05-03")
NAMELESS = Option("DE02100500000054540402", "DE02100500000054540402")


def test_the_fields_of_the_recipient_offer_known_payees_and_stay_fields_to_type_in() -> None:
    offered = suggested_at(ACTION.inputs)
    assert sorted(offered) == ["creditor_iban", "creditor_name"]
    assert all(field.lookup is None for field in ACTION.inputs if field.name in offered)


def test_choosing_one_fills_name_and_iban_together() -> None:
    field = suggested_at(ACTION.inputs)["creditor_name"]
    assert filled_by(field, VOSS) == {"creditor_iban": VOSS.value, "creditor_name": "Reifen Voss KG"}
    assert filled_by(field, NAMELESS) == {"creditor_iban": NAMELESS.value}


def test_what_was_typed_narrows_the_list_and_what_fits_nothing_does_not() -> None:
    options = [VOSS, NAMELESS]
    assert fitting(options, ["voss", ""]) == [VOSS]
    assert fitting(options, ["", "DE02 1005"]) == [NAMELESS]
    assert fitting(options, ["Autohaus"]) == options
    assert len(fitting([NAMELESS] * 100, [])) == MAX_SHOWN
