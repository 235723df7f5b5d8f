"""docs/conformance.md says of every statement of the service's description where it is honoured and tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.conformance.document import DOCUMENT, document
from tests.conformance.source import SOURCE, Passage, Quotation, left_out, passages, quoted_wrongly
from tests.conformance.statements import ROOT, Statement, proofs, statements

beside_the_source = pytest.mark.skipif(
    not SOURCE.exists(), reason="the service's description does not lie beside this checkout"
)


def _wire_keys() -> set[str]:
    tree = yaml.safe_load((ROOT / "manifests" / "wire.yaml").read_text(encoding="utf-8"))
    return {f"{group}.{name}" for group, names in tree.items() for name in names}


def _assumption_headings() -> set[str]:
    """The anchors of docs/assumptions.md, as a browser of the repository makes them."""
    text = (ROOT / "docs" / "assumptions.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    return {f"#{re.sub(r'[^a-z0-9 -]', '', title.lower()).replace(' ', '-')}" for title in titles}


def test_the_document_is_what_the_generator_writes() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "write it anew: make conformance"


def test_no_row_is_empty() -> None:
    for one in statements():
        assert one.says, one.id
        assert one.honoured or one.nothing_to_do or one.unreachable, f"{one.id} is honoured nowhere"


def test_every_statement_is_proven_through_a_face_or_says_why_not() -> None:
    """Neither the sandbox nor the form of a declaration proves anything alone."""
    for one in statements():
        reasons = [one.unreachable, one.unmet, one.nothing_to_do]
        assert one.is_through_a_face or any(reasons), f"{one.id} is proven through no face"
        assert sum(map(bool, reasons)) <= 1, f"{one.id} has more than one reason"


def test_a_test_goes_through_what_it_calls_and_never_through_a_face_where_it_stands_elsewhere() -> None:
    ways = {(proof.file, proof.name): proof.ways for found in proofs().values() for proof in found}
    expected = {
        "tests/sandbox/test_mobility.py": {"sandbox"},
        "tests/client/test_verdict.py": {"client"},
        "tests/manifests/triggers/test_against_the_sandbox.py": {"core"},
        "tests/conformance/test_described_events.py": {"delivery"},
        "tests/cases/list_transactions.yaml": {"case"},
    }
    for file, faces in expected.items():
        assert {way for (path, _), found in ways.items() if path == file for way in found} == faces
    figures = "tests/conformance/test_described_figures.py"
    assert ways[figures, "test_every_described_endpoint_has_an_action_and_its_cost"] == ("shape",)
    assert ways[figures, "test_open_items_are_waited_for_much_longer_than_they_take"] == ("invoke",)


def test_few_statements_ask_nothing_of_a_client_or_are_not_reachable() -> None:
    nothing = [one for one in statements() if one.nothing_to_do]
    assert len(nothing) <= 5
    assert not [one.id for one in nothing if one.honoured or one.id in proofs()]
    assert len([one for one in statements() if one.unreachable]) <= 10


def test_every_id_stands_once() -> None:
    ids = [one.id for one in statements()]
    assert sorted(ids) == sorted(set(ids))


def test_every_marker_names_a_statement() -> None:
    known = {one.id for one in statements()}
    assert {id: ones for id, ones in proofs().items() if id not in known} == {}


def test_every_place_exists() -> None:
    assert [(one.id, path) for one in statements() for path in one.honoured if not (ROOT / path).exists()] == []


def test_every_assumption_is_a_wire_name_or_explained() -> None:
    known = _wire_keys() | _assumption_headings()
    assert [(one.id, name) for one in statements() for name in one.assumed if name not in known] == []


def test_every_wire_name_belongs_to_a_statement() -> None:
    assert _wire_keys() - {name for one in statements() for name in one.assumed} == set()


def test_a_sentence_that_is_quoted_in_part_or_wrongly_is_found(tmp_path: Path) -> None:
    description = tmp_path / "description.md"
    description.write_text("# Costs\n\nA read is free; a write  costs 2.\n\n| a | b |\n|---|---|\n| list | 0 |\n")
    sentence, row = passages(description)
    assert (sentence.heading, sentence.line, row.line) == ("Costs", 3, 7)
    half, other = Quotation(3, "A read is free;"), Quotation(3, "a write costs 2.")
    assert left_out(sentence, [half, Quotation(7, "| list | 0 |")]) == "a write costs 2"
    assert left_out(sentence, [half, other]) == left_out(row, [Quotation(7, "| list | 0 |")]) == ""
    assert [quoted_wrongly(one, description) for one in (half, other, Quotation(3, "a write costs 3."))] == [
        False,
        False,
        True,
    ]
    assert quoted_wrongly(Quotation(7, "A read is free;"), description)


@beside_the_source
def test_every_sentence_of_the_description_is_quoted_whole() -> None:
    quotations = [quotation for one in statements() for quotation in one.says]
    for passage in passages():
        where = f"{SOURCE.name}:{passage.line}, under {passage.heading!r}"
        assert left_out(passage, quotations) == "", f"nobody quotes this in {where}"
        if passage.leaves_open:
            assert any(one.assumed for one in _quoting(passage)), f"no assumption for what is left open in {where}"


@beside_the_source
def test_every_quotation_stands_in_its_line_and_below_its_heading() -> None:
    headings = {passage.line: passage.heading for passage in passages()}
    for one in statements():
        for quotation in one.says:
            assert not quoted_wrongly(quotation), f"{one.id}: {quotation.text!r} is not in line {quotation.line}"
            assert headings[quotation.line] == one.heading, one.id


def _quoting(passage: Passage) -> list[Statement]:
    return [one for one in statements() if any(q.line == passage.line and q.text in passage.text for q in one.says)]
