"""The flows to import in n8n: whole in both languages, and listed and written by `kontor templates`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from connector import Connector
from connector.export.n8n.flows import KINDS, flows, workflow
from connector.interfaces.cli import main

CONNECTOR = Connector("unused")
LANGUAGES = ["en", "de"]


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("name", flows())
def test_a_flow_names_only_inputs_that_there_are_and_asks_for_what_is_required(name: str) -> None:
    for step in flows()[name].steps:
        kind = next((one for one in KINDS if one in step), None)
        if kind is None:
            continue
        manifest = CONNECTOR.action(step[kind]) if kind == "action" else CONNECTOR.trigger(step[kind])
        filled = {*step.get("inputs", {}), *step.get("ask", ())}
        assert filled <= {field.name for field in manifest.inputs}
        assert {field.name for field in manifest.inputs if field.required} <= filled


@pytest.mark.parametrize("name", flows())
def test_a_flow_is_whole_in_both_languages_and_the_same_but_for_its_words(name: str) -> None:
    made = {lang: workflow(flows()[name], CONNECTOR, lang) for lang in LANGUAGES}
    for flow in made.values():
        named = {node["name"] for node in flow["nodes"]}
        assert len(named) == len(flow["nodes"])
        linked = {one["node"] for out in flow["connections"].values() for way in out["main"] for one in way}
        assert linked | set(flow["connections"]) <= named
        assert not [text for text in texts(flow) if "{first}" in text]
        assert flow["active"] is False
    shapes = [[(node["type"], node["id"], node["position"]) for node in flow["nodes"]] for flow in made.values()]
    assert shapes[0] == shapes[1]
    assert made["en"]["name"] != made["de"]["name"]


def test_the_flows_are_listed_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["templates", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["templates"]
    assert [one["name"] for one in listed] == list(flows())
    assert main(["templates", "export", "consent_mail", "-o", str(tmp_path), "--lang", "de", "--json"]) == 0
    [one] = json.loads(capsys.readouterr().out)["templates"]
    assert json.loads(Path(one["file"]).read_text())["name"] == "Zustimmung läuft bald ab"


def test_a_flow_that_there_is_not_is_an_error_that_names_those_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["templates", "export", "nothing", "--json"]) == 2
    assert "cash_closing" in json.loads(capsys.readouterr().out)["error"]["remedy"]["en"]
