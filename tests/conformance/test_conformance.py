"""docs/conformance.md says of every statement of the service's description where it is honoured and tested."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.conformance.document import DOCUMENT, document
from tests.conformance.source import SOURCE, passages
from tests.conformance.statements import ROOT, Statement, proofs, statements

LONGEST_SOURCE = 60
"""A piece of the source names a place and is no copy of it."""
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
        assert one.source, one.id
        if not one.nothing_to_do:
            assert one.honoured, f"{one.id} is honoured nowhere"
            assert one.id in proofs() or one.assumed, f"{one.id} is neither tested nor assumed"


def test_few_statements_ask_nothing_of_a_client() -> None:
    nothing = [one for one in statements() if one.nothing_to_do]
    assert len(nothing) <= 5
    assert not [one.id for one in nothing if one.honoured or one.id in proofs()]


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


@beside_the_source
def test_every_sentence_of_the_description_is_covered() -> None:
    by_heading = _by_heading()
    for passage in passages():
        covering = [one for one in by_heading.get(passage.heading, []) if any(p in passage.text for p in one.source)]
        where = f"{SOURCE.name}:{passage.line}, under {passage.heading!r}: {passage.text}"
        assert covering, f"no statement covers {where}"
        if passage.leaves_open:
            assert any(one.assumed for one in covering), f"no assumption for what is left open in {where}"


@beside_the_source
def test_every_piece_of_the_source_is_found_there() -> None:
    texts: dict[str, str] = {}
    for passage in passages():
        texts[passage.heading] = f"{texts.get(passage.heading, '')}\n{passage.text}"
    for one in statements():
        for piece in one.source:
            assert len(piece) <= LONGEST_SOURCE, f"{one.id}: {piece!r} is more than names its place"
            assert piece in texts.get(one.heading, ""), f"{one.id}: {piece!r} does not stand under {one.heading!r}"


def _by_heading() -> dict[str, list[Statement]]:
    found: dict[str, list[Statement]] = {}
    for one in statements():
        found.setdefault(one.heading, []).append(one)
    return found
