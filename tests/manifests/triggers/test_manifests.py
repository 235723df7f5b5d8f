"""Every trigger's manifest: it fits the format, speaks both languages, and shows what it will give."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import jsonschema
import pytest

from connector.core import errors
from connector.core.compiled import read_yaml
from connector.core.data.row_parts import PART, RowParts, declared_parts
from connector.core.manifest import form, model
from connector.core.manifest.inputs import Inputs
from connector.core.messages import sentences
from connector.core.service.wire import Wire
from connector.runtime.requests.request import build_call, handler_function
from tests.support.fitting import LIBRARY, RESOURCES, misfits

ROOT = Path(__file__).parents[3]
MANIFESTS = ROOT / "manifests"
PATHS = sorted(MANIFESTS.glob("triggers/*/*.yaml"))
POLLS = {
    "new_transaction",
    "transaction_changed",
    "new_payment",
    "payment_status_changed",
    "new_bank_account",
    "new_mobility_customer",
    "consent_expires_soon",
    "bank_connection_needs_attention",
    "credits_low",
    "open_item_changed",
}
EVENTS = {
    "banking_event",
    "refresh_complete",
    "connection_error",
    "connection_destroyed",
    "payment_update",
    "payment_settled",
    "payment_failed",
    "payment_needs_confirmation",
}
OF_THE_ACCOUNT = {"kontonummer", "bezeichnung", "isDebitor"}
"""What an open item is told beside its own fields."""
ALIKE_IN_BOTH = {"Status"}

each = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@cache
def tree_of(path: Path) -> dict[str, Any]:
    return form.read(read_yaml(str(path)), read_yaml(str(MANIFESTS / "fields.yaml")))


@cache
def checker() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(form.manifest_schema())


def trigger_of(path: Path) -> model.Trigger:
    return model.trigger(tree_of(path), LIBRARY)


def inputs_of(trigger: model.Trigger) -> dict[str, Any]:
    inputs = Inputs(trigger.inputs, trigger.rules, LIBRARY.formats)
    return inputs.clean({field.name: field.example for field in trigger.inputs})


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


@pytest.mark.conforms("service.banking_area")
def test_all_promised_triggers_are_there_whoever_adds_more() -> None:
    assert {path.stem for path in PATHS if tree_of(path)["source"] == "poll"} >= POLLS
    assert {path.stem for path in PATHS if tree_of(path)["source"] == "event"} >= EVENTS


@each
def test_a_trigger_fits_the_schema(path: Path) -> None:
    assert [f"{list(error.path)}: {error.message}" for error in checker().iter_errors(tree_of(path))] == []


@pytest.mark.parametrize(
    "wrong",
    [{"interval": None}, {"event": {"names": ["x"]}}, {"poll": None}, {"poll": {"by_ids": {}}}, {"surprise": 1}],
)
def test_the_schema_refuses_a_poll_without_interval_or_with_an_events_parts(wrong: dict[str, Any]) -> None:
    tree = tree_of(MANIFESTS / "triggers/banking/new_payment.yaml") | wrong
    assert list(checker().iter_errors({name: part for name, part in tree.items() if part is not None}))


@each
def test_a_trigger_stands_where_its_id_and_area_say(path: Path) -> None:
    assert (tree_of(path)["id"], tree_of(path)["area"]) == (path.stem, path.parent.name)


@each
def test_every_sentence_is_said_in_two_languages(path: Path) -> None:
    for at, text in texts_in(tree_of(path)):
        assert text["en"] != text["de"] or text["en"] in ALIKE_IN_BOTH, at
        said = re.sub(r"\b(ledger|bank) connections?\b", "", text["en"], flags=re.IGNORECASE)
        assert not re.search(r"\bconnections?\b", said, re.IGNORECASE), at


@each
def test_a_description_says_what_looking_costs(path: Path) -> None:
    tree = tree_of(path)
    credits = tree["cost"]["credits"]
    words = {0: ("free", "kostenlos"), 1: ("one credit", "einen Credit"), 5: ("5 credits", "5 Credits")}[credits]
    assert words[0] in tree["description"]["en"]
    assert words[1] in tree["description"]["de"]


@each
def test_every_input_says_all_that_a_form_needs(path: Path) -> None:
    names = [field["name"] for field in tree_of(path)["inputs"]]
    assert len(set(names)) == len(names)
    for field in tree_of(path)["inputs"]:
        assert {"presence", "example", "in"} <= set(field), field["name"]
        assert "format" not in field or LIBRARY.formats[field["format"]](field["example"]) == field["example"]
        use = field.get("lookup")
        if use:
            lookup = tree_of(MANIFESTS / f"lookups/{use['id']}.yaml")
            assert set(use.get("with", {})) <= {one["name"] for one in lookup["inputs"]}
            assert all(not str(one).startswith("$") or one[1:] in names for one in use.get("with", {}).values())


@each
def test_inputs_that_name_a_resource_have_a_dropdown(path: Path) -> None:
    dropdowns = {"connection_id", "account_id", "payment_id", "ledger_connection"}
    for field in tree_of(path)["inputs"]:
        assert ("lookup" in field) == (field["name"] in dropdowns), field["name"]


@each
def test_examples_are_valid_inputs(path: Path) -> None:
    trigger = trigger_of(path)
    assert set(inputs_of(trigger)) == {field.name for field in trigger.inputs}


@each
def test_a_poll_builds_the_request_that_its_strategy_asks_for(path: Path) -> None:
    trigger = trigger_of(path)
    if trigger.request is None:
        assert all(field.place == "none" for field in trigger.inputs)
        return
    call = build_call(trigger, inputs_of(trigger), Wire.with_overrides({}))
    assert (call.method, call.cost) == ("GET", tree_of(path)["cost"]["credits"])
    assert "{" not in call.path
    internal = {field.name for field in trigger.inputs if field.internal}
    assert internal <= set(call.query)
    if "from_id" in internal:
        assert call.query["sort"] == "id"


@each
def test_a_trigger_has_a_strategy_code_or_an_event(path: Path) -> None:
    trigger = trigger_of(path)
    has = [trigger.poll is not None, handler_function(trigger, "turn") is not None, trigger.event is not None]
    assert has.count(True) == 1
    assert (trigger.event is not None) == (trigger.source == "event")


@each
def test_every_sentence_of_a_manifest_is_said_by_its_code_and_the_other_way_round(path: Path) -> None:
    own = ROOT / path.relative_to(MANIFESTS).with_suffix(".py")
    said = {
        ast.literal_eval(node.args[0])
        for node in ast.walk(ast.parse(own.read_text(encoding="utf-8") if own.exists() else ""))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"
    }
    assert said - sentences().keys() == set(tree_of(path).get("messages", {}))


@each
def test_a_sample_carries_an_id_and_fits_its_resource(path: Path) -> None:
    tree = tree_of(path)
    assert json.loads(json.dumps(tree)) == tree, "only JSON"
    for sample in tree["sample"]:
        assert isinstance(sample["_id"], str)
        own = {name: value for name, value in sample.items() if not name.startswith("_")}
        resource = tree["output"]["resource"]
        assert misfits(resource, own) == []
        if resource in RESOURCES:
            assert set(own) - set(RESOURCES[resource]["fields"]) <= OF_THE_ACCOUNT
        parts = RowParts(declared_parts(RESOURCES, resource))
        for column in tree["output"]["columns"]:
            is_part = column.startswith(PART)
            assert parts.cell(column, sample) is not None if is_part else _has(sample, column), column


def _has(row: Any, column: str) -> bool:
    for step in column.split("."):
        if not isinstance(row, dict) or step not in row:
            return False
        row = row[step]
    return True


@each
def test_the_events_and_errors_named_exist(path: Path) -> None:
    tree = tree_of(path)
    kinds = {one.kind for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.KontorError)}
    assert {error["kind"] for error in tree.get("errors", [])} <= kinds
    assert set(tree.get("event", {}).get("names", [])) <= set(LIBRARY.events) | LIBRARY.own_events


def test_open_items_are_looked_at_daily_and_never_more_than_hourly() -> None:
    tree = tree_of(MANIFESTS / "triggers/ledger/open_item_changed.yaml")
    assert tree["interval"] == {"usual": 86400, "least": 86400, "paid_a_day": 1}
    assert "once a day" in tree["description"]["en"]
    assert model.trigger(tree, LIBRARY).timeout == 120


def test_messages_have_the_same_blanks_in_both_languages() -> None:
    for path in PATHS:
        for text in tree_of(path).get("messages", {}).values():
            blanks = [[name for _, name, _, _ in Formatter().parse(text[language])] for language in ("en", "de")]
            assert blanks[0] == blanks[1]
