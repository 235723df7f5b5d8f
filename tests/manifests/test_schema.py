"""Every manifest of an action or a lookup: it fits the format, speaks both languages, and names only what exists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from connector.core import errors
from connector.core.manifest.form import manifest_schema
from connector.core.service.wire import BODIES, Wire
from tests.manifests.declared_manifests import (
    ACTION_PATHS,
    ACTIONS,
    LOOKUP_PATHS,
    LOOKUPS,
    MANIFESTS,
    blanks,
    each,
    each_action,
    fields_in,
    tree_of,
    written,
)
from tests.support.fitting import LIBRARY

ALIKE_IN_BOTH = re.compile(r"IBAN|BIC|Bank|Name|GET|EUR|Webhook.URL")


@cache
def checker() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(manifest_schema())
    return jsonschema.Draft202012Validator(manifest_schema())


def texts_in(node: Any, at: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    if isinstance(node, dict):
        if set(node) == {"en", "de"}:
            yield at, node
        else:
            for key, inner in node.items():
                yield from texts_in(inner, f"{at}.{key}")
    elif isinstance(node, list):
        for place, inner in enumerate(node):
            yield from texts_in(inner, f"{at}[{place}]")


@pytest.mark.conforms("service.json_over_http", "service.ledger_area", "service.banking_area", "service.mobility_area")
def test_all_promised_actions_and_lookups_are_there_whoever_adds_more() -> None:
    for area, promised in ACTIONS.items():
        assert promised <= {path.stem for path in ACTION_PATHS if path.parent.name == area}
    assert {path.parent.name for path in ACTION_PATHS} == set(ACTIONS), "areas are fixed"
    assert {path.stem for path in LOOKUP_PATHS} >= LOOKUPS


@each
def test_a_manifest_fits_the_schema(path: Path) -> None:
    assert [f"{list(error.path)}: {error.message}" for error in checker().iter_errors(written(path))] == []
    assert list(checker().iter_errors(tree_of(path))) == [], "nor does it once shared inputs are filled in"


@each
def test_a_manifest_stands_where_its_id_and_area_say(path: Path) -> None:
    tree = tree_of(path)
    assert tree["id"] == path.stem
    if tree["kind"] == "action":
        assert tree["area"] == path.parent.name


@each
def test_every_sentence_is_said_in_two_languages(path: Path) -> None:
    for at, text in texts_in(tree_of(path)):
        assert text["en"].strip() == text["en"], at
        assert text["de"].strip() == text["de"], at
        assert text["en"] != text["de"] or ALIKE_IN_BOTH.search(text["en"]), at
        assert blanks(text["en"]) == blanks(text["de"]) or ".messages" not in at, at


@each
def test_the_bare_word_connection_is_never_used(path: Path) -> None:
    for at, text in texts_in(tree_of(path)):
        said = re.sub(r"\b(ledger|bank) connections?\b", "", text["en"], flags=re.IGNORECASE)
        assert not re.search(r"\bconnections?\b", said, re.IGNORECASE), at


@each
def test_every_input_says_all_that_a_form_needs(path: Path) -> None:
    tree = tree_of(path)
    for field in fields_in(tree["inputs"]):
        assert "presence" in field, field["name"]
        assert "example" in field, field["name"]
    for field in tree["inputs"]:
        assert "in" in field, field["name"]
    names = [field["name"] for field in tree["inputs"]]
    assert len(set(names)) == len(names)


@each
def test_examples_and_samples_hold_only_json(path: Path) -> None:
    """A date or an id that YAML reads as something else than text would leave as something else."""
    tree = tree_of(path)
    assert json.loads(json.dumps(tree)) == tree
    for field in fields_in(tree["inputs"]):
        if field["type"] in {"string", "date", "date-time", "enum", "file"}:
            assert isinstance(field["example"], str), field["name"]
        if "values" in field:
            assert field["example"] in [choice["value"] for choice in field["values"]]


@each
def test_an_example_is_what_its_format_asks_for(path: Path) -> None:
    for field in fields_in(tree_of(path)["inputs"]):
        if "format" in field:
            assert LIBRARY.formats[field["format"]](field["example"]) == field["example"], field["name"]
        assert len(str(field["example"])) <= field.get("max_length", 10_000), field["name"]


@each
def test_an_amount_follows_a_currency_that_is_an_input(path: Path) -> None:
    tree = tree_of(path)
    names = {field["name"] for field in tree["inputs"]}
    for field in fields_in(tree["inputs"]):
        assert field.get("currency_field", "") in {"", *names}
        assert field["type"] != "money" or "currency_field" in field


@each
def test_path_parameters_are_inputs_and_nothing_else_is_in_the_path(path: Path) -> None:
    tree = tree_of(path)
    if "request" not in tree:
        assert all(field["in"] == "none" for field in tree["inputs"])
        return
    paths = [tree["request"].get("path", ""), *tree["request"].get("paths", {}).get("choose", {}).values()]
    wanted = {blank for one in paths for blank in blanks(one)}
    assert {field.get("as", field["name"]) for field in tree["inputs"] if field["in"] == "path"} == wanted
    if tree["request"]["method"] == "GET":
        assert all(field["in"] not in {"body", "whole_body"} for field in tree["inputs"])


@each
def test_an_input_that_decides_the_path_offers_exactly_its_choices(path: Path) -> None:
    tree = tree_of(path)
    paths = tree.get("request", {}).get("paths")
    if paths:
        decides = next(field for field in tree["inputs"] if field["name"] == paths["by"])
        assert {choice["value"] for choice in decides["values"]} == set(paths["choose"])
        assert decides["default"] in paths["choose"]


@each
def test_wire_keys_exist(path: Path) -> None:
    wire = Wire.with_overrides({})
    for field in tree_of(path)["inputs"]:
        if "wire" in field:
            assert field["wire"] in wire
            if field["wire"] in BODIES:
                assert field["name"] in wire[field["wire"]]


@each
def test_lookups_of_a_field_exist_with_the_inputs_they_are_given(path: Path) -> None:
    inputs = {field["name"] for field in tree_of(path)["inputs"]}
    for field in fields_in(tree_of(path)["inputs"]):
        use = field.get("lookup")
        if not use:
            continue
        assert use["id"] in LOOKUPS
        known = {one["name"]: one for one in tree_of(MANIFESTS / "lookups" / f"{use['id']}.yaml")["inputs"]}
        given = use.get("with", {})
        assert set(given) <= set(known)
        assert {name for name, one in known.items() if one["presence"] == "required"} <= set(given)
        for value in given.values():
            assert not str(value).startswith("$") or value[1:] in inputs


@each_action
def test_an_action_that_reads_is_harmless_and_one_that_writes_is_not(path: Path) -> None:
    tree = tree_of(path)
    assert (tree["effect"] == "read") == (tree["repeat"] == "harmless")
    if "request" in tree:
        assert (tree["effect"] == "read") == (tree["request"]["method"] == "GET")


@each_action
def test_an_action_names_only_errors_lookups_and_actions_that_exist(path: Path) -> None:
    tree = tree_of(path)
    kinds = {one.kind for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.KontorError)}
    assert {error["kind"] for error in tree["errors"]} <= kinds
    assert set(tree.get("refreshes", [])) <= LOOKUPS
    if "read_back" in tree:
        assert tree["read_back"]["action"] in {id for ids in ACTIONS.values() for id in ids}
        carrier = next(field for field in tree["inputs"] if field["name"] == tree["read_back"]["key_field"])
        assert carrier["type"] == "object"
        assert "fields" not in carrier
