"""A payment is refused before it leaves when the bank would refuse it, or change its texts on the way."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from actions.banking.initiate_payment import FREE_TEXTS, check
from refusals import Refusal, refusal


def payment(**other: Any) -> dict[str, Any]:
    return {
        "account_id": "8101",
        "creditor_name": "Reifen Voss KG",
        "creditor_iban": "DE02120300000000202051",
        "amount": Decimal("297.50"),
        "currency_code": "EUR",
        "template_identifier": "SEPA",
        **other,
    }


def refused(**other: Any) -> Refusal:
    return refusal("banking", "initiate_payment", payment(**other))


@pytest.mark.parametrize("amount", ["0.01", "297.50", "999999999.99"])
def test_every_amount_that_sepa_carries_is_accepted(amount: str) -> None:
    assert check(payment(amount=Decimal(amount))) is None


@pytest.mark.parametrize("amount", ["0", "-0.01", "-297.50"])
def test_nothing_and_less_cannot_be_paid(amount: str) -> None:
    said = refused(amount=Decimal(amount))
    assert said.field == "amount"
    assert amount in said.de


def test_more_than_sepa_carries_is_refused_with_the_difference() -> None:
    assert "0.01 above 999999999.99" in refused(amount=Decimal("1000000000.00")).en


@pytest.mark.parametrize("template", ["SEPA", "SEPA_INSTANT"])
def test_sepa_knows_only_the_euro(template: str) -> None:
    said = refused(currency_code="CHF", template_identifier=template)
    assert said.field == "currency_code"
    assert f"CHF; {template}" in said.en


@pytest.mark.parametrize("name", FREE_TEXTS)
@pytest.mark.parametrize(
    "text", ["Rechnung 4711 / Kd. 12", "Müller & Söhne", "Café René", "Łódź", "Ærø „Bro“", "RE_2026#1", "50 € – bar"]
)
def test_latin_texts_with_their_accents_are_accepted(name: str, text: str) -> None:
    assert check(payment(**{name: text})) is None


@pytest.mark.parametrize("name", FREE_TEXTS)
@pytest.mark.parametrize("sign", ["😀", "Ж", "漢", "ش"])
def test_signs_that_sepa_cannot_carry_are_refused_by_their_position(name: str, sign: str) -> None:
    said = refused(**{name: f"Re {sign}"})
    assert (said.name, said.field) == ("sign_not_latin", name)
    assert f"{sign} at position 4" in said.en
    assert f"Stelle 4 das Zeichen {sign}" in said.de


@pytest.mark.parametrize("sign", ["\n", "\t", "\x00", "\u200b", "\ud800"])
def test_line_breaks_and_invisible_signs_are_refused(sign: str) -> None:
    said = refused(description=f"Rechnung{sign}4711")
    assert (said.name, said.field) == ("sign_not_printable", "description")
    assert "position 9" in said.en


@pytest.mark.parametrize("reference", ["V-88120", "RE/2026/0311", "a?b:c(d).e,f'g+h i"])
def test_a_reference_that_travels_unchanged_is_accepted(reference: str) -> None:
    assert check(payment(end_to_end_id=reference)) is None


@pytest.mark.parametrize("sign", ["ü", "_", "#", "é", "&", "\n"])
def test_a_reference_that_would_be_changed_on_the_way_is_refused(sign: str) -> None:
    said = refused(end_to_end_id=f"RE{sign}1")
    assert (said.name, said.field) == ("reference_sign", "end_to_end_id")
    assert "position 3" in said.en


@pytest.mark.parametrize("reference", ["/RE1", "RE1/", "RE//1"])
def test_slashes_at_the_ends_or_doubled_are_refused(reference: str) -> None:
    assert refused(end_to_end_id=reference).name == "reference_slash"
