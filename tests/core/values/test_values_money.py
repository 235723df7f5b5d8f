"""Amounts keep every digit, and what is no amount is refused."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.values.json import decode, encode
from connector.core.values.money import as_money, total


@st.composite
def amounts(draw: st.DrawFn) -> Decimal:
    digits = draw(st.integers(min_value=-(10**17) + 1, max_value=10**17 - 1))
    return as_money(Decimal(digits).scaleb(-draw(st.integers(min_value=0, max_value=17))))


def written(amount: Decimal) -> tuple[int, tuple[int, ...], Any]:
    return tuple(amount.as_tuple())  # type: ignore[return-value]


@given(amounts())
def test_an_amount_of_17_digits_survives_the_way_through_the_wire(amount: Decimal) -> None:
    body = encode({"amount": amount})
    read = as_money(decode(body)["amount"])
    assert written(read) == written(amount)
    assert encode({"amount": read}) == body


@pytest.mark.parametrize("text", ["12345678901234567.89", "0.10000000000000001", "99999999999999999", "1.50", "100.00"])
def test_json_number_text_comes_back_to_the_digit(text: str) -> None:
    assert encode({"amount": as_money(decode(f'{{"amount":{text}}}')["amount"])}).decode() == f'{{"amount":{text}}}'


@given(st.lists(amounts(), max_size=60), st.integers(min_value=1, max_value=40))
def test_a_sum_is_exact_whatever_the_callers_precision_is(lines: list[Decimal], precision: int) -> None:
    with localcontext() as context:
        context.prec = precision
        result = total(lines)
    assert Fraction(result) == sum((Fraction(line) for line in lines), Fraction(0))


def test_a_sum_at_the_bounds_is_still_exact() -> None:
    assert str(total([Decimal("1E+30"), Decimal("1E-30")])) == f"1{'0' * 30}.{'0' * 29}1"


def test_twenty_lines_of_ten_cents_are_two_euros() -> None:
    assert total([Decimal("0.10")] * 20) == Decimal("2.00")


@pytest.mark.parametrize(
    ("given_value", "read"),
    [
        (Decimal("12.50"), "12.50"),
        (12, "12"),
        (10**17, "100000000000000000"),
        ("12.50", "12.50"),
        (" -12.50 ", "-12.50"),
        ("+3", "3"),
        (12.1, "12.1"),
        (12.5, "12.5"),
        ("1e3", "1E+3"),
    ],
)
def test_what_is_accepted_keeps_its_digits(given_value: Any, read: str) -> None:
    assert str(as_money(given_value)) == read


@pytest.mark.parametrize("zero", [Decimal("-0"), Decimal("-0.00"), -0.0, "-0", "-0.0"])
def test_minus_zero_becomes_zero(zero: Any) -> None:
    assert not as_money(zero).is_signed()


@pytest.mark.parametrize(
    "text", ["1.234,56", "12,50", "1 234.56", "1_000", "", "12.", ".5", "١٢", "0x10", "€ 5", "--1"]
)
def test_text_that_is_not_plain_decimal_notation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an amount is written"):
        as_money(text)


@pytest.mark.parametrize(
    "value",
    [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), float("nan"), float("-inf"), "NaN", "Infinity"],
)
def test_nan_and_infinity_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="an amount"):
        as_money(value)


@pytest.mark.parametrize(
    "value", ["1e999", "1e-999", Decimal("1E+31"), Decimal("1E-31"), 1e300, 10**31, "1" * 35, "0." + "1" * 35, 1 << 999]
)
def test_absurd_sizes_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="at most 34 digits"):
        as_money(value)


@pytest.mark.parametrize("value", [True, False, None, [], {}, b"1", 1j])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="an amount is a number"):
        as_money(value)
