"""A cash book entry is refused before it costs a credit when its sum or its images cannot be right."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import pytest
from actions.ledger.create_cash_book_entry import MAX_IMAGE_BYTES, check
from hypothesis import given
from hypothesis import strategies as st
from refusals import Refusal, refusal

from connector.core.values.money import total

PDF = b"%PDF-1.7\n"
PNG = b"\x89PNG\r\n\x1a\n\x00"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF"
AMOUNTS = st.decimals(min_value=-10_000, max_value=10_000, places=2).filter(lambda amount: amount != 0)


def entry(betrag: str, *lines: str, images: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "waehrung": "EUR",
        "betrag": Decimal(betrag),
        "belegzeilen": [{"betrag": Decimal(line)} for line in lines],
    }
    return inputs if images is None else {**inputs, "belegbilder": images}


def refused(inputs: dict[str, Any]) -> Refusal:
    return refusal("ledger", "create_cash_book_entry", inputs)


def refused_image(content: bytes, dateiname: str) -> Refusal:
    good = {"content": PDF, "dateiname": "beleg.pdf"}
    return refused(entry("5", "5", images=[good, {"content": content, "dateiname": dateiname}]))


@given(st.lists(AMOUNTS, min_size=1, max_size=20).filter(lambda lines: total(lines) != 0))
def test_lines_that_add_up_are_accepted_whatever_their_signs(lines: list[Decimal]) -> None:
    assert check(entry(str(total(lines)), *map(str, lines))) is None


@given(st.lists(AMOUNTS, min_size=1, max_size=20).filter(lambda lines: total([*lines, Decimal("0.01")]) != 0))
def test_one_cent_off_is_always_noticed(lines: list[Decimal]) -> None:
    wrong = total([*lines, Decimal("0.01")])
    assert refused(entry(str(wrong), *map(str, lines))).field == "betrag"


def test_ten_times_ten_cents_are_one_euro() -> None:
    assert check(entry("1.00", *["0.10"] * 10)) is None


def test_trailing_zeros_do_not_matter() -> None:
    assert check(entry("3.5", "1.50", "2.00")) is None


def test_the_sum_is_exact_even_when_the_caller_computes_with_few_digits() -> None:
    with localcontext(prec=4):
        assert check(entry("123456789.03", "123456789.01", "0.02")) is None
        assert refused(entry("123456789.04", "123456789.01", "0.02")).name == "sum_differs"


def test_the_objection_names_sum_amount_and_difference() -> None:
    said = refused(entry("100.00", "60.00", "39.90"))
    assert said.field == "betrag"
    assert "lines (2) add up to 99.90 EUR" in said.en
    assert "betrag says 100.00 EUR" in said.en
    assert "0.10 EUR" in said.en
    assert "Zeilen (2) ergeben 99.90 EUR" in said.de
    assert "Differenz beträgt 0.10 EUR" in said.de


def test_amounts_are_written_out_in_the_objection() -> None:
    assert "betrag says 100 EUR" in refused(entry("1E+2", "5E+1")).en


def test_a_line_whose_sign_is_turned_is_pointed_out() -> None:
    said = refused(entry("-41.65", "-21.65", "20.00"))
    assert said.name == "sum_differs_by_sign"
    assert "line 2" in said.en
    assert "Zeile 2" in said.de
    assert "40.00 EUR" in said.en


def test_an_entry_without_lines_is_refused() -> None:
    assert refused(entry("1")).field == "belegzeilen"


def test_an_amount_of_zero_is_refused_although_the_lines_add_up() -> None:
    said = refused(entry("0", "5", "-5"))
    assert (said.name, said.field) == ("amount_zero", "betrag")


def test_a_line_of_zero_is_refused_by_its_number() -> None:
    said = refused(entry("5", "5", "0.00"))
    assert said.field == "belegzeilen[1].betrag"
    assert said.en.startswith("Line 2 ")


@pytest.mark.parametrize(
    ("content", "dateiname"),
    [
        (PDF, "beleg.pdf"),
        (PDF, "BELEG.PDF"),
        (PNG, "foto.png"),
        (JPEG, "foto.jpg"),
        (JPEG, "foto.vom.4.5.jpeg"),
        (b"II*\x00\x08", "scan.tif"),
        (b"MM\x00*\x00", "scan.tiff"),
        (b"GIF89a", "scan.gif"),
    ],
)
def test_common_receipts_are_accepted(content: bytes, dateiname: str) -> None:
    assert check(entry("5", "5", images=[{"content": content, "dateiname": dateiname}])) is None


@pytest.mark.parametrize("dateiname", ["foto.png", "foto", "foto.jpg.exe", "jpg"])
def test_a_name_that_belies_the_content_is_refused(dateiname: str) -> None:
    said = refused_image(JPEG, dateiname)
    assert said.field == "belegbilder[1].dateiname"
    assert f"Receipt image 2 is called {dateiname} but contains JPEG" in said.en
    assert ".jpg, .jpeg" in said.de


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"<svg/>", b"MZ", b" %PDF-1.7", b"RIFF\x00\x00\x00\x00WEBP"])
def test_content_of_another_kind_is_refused(content: bytes) -> None:
    said = refused_image(content, "beleg.pdf")
    assert (said.name, said.field) == ("image_kind_unknown", "belegbilder[1].content")
    assert "PDF, PNG, JPEG, TIFF, GIF" in said.en


def test_an_image_may_have_ten_megabytes_and_not_one_byte_more() -> None:
    largest = PDF + b"\0" * (MAX_IMAGE_BYTES - len(PDF))
    assert check(entry("5", "5", images=[{"content": largest, "dateiname": "beleg.pdf"}])) is None
    said = refused_image(largest + b"\0", "beleg.pdf")
    assert said.name == "image_too_large"
    assert "1 more than the 10485760" in said.en
