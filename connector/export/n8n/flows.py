"""Flows that n8n imports as they are, made from `flows.yaml`: in either language, for the exported package."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest
from connector.core.messages import Text
from connector.export.n8n.fields import ADDITIONAL, LINES, stands_in_form
from connector.export.n8n.files import NAME
from connector.export.n8n.operations import Resource, noun_of
from connector.export.n8n.wording import title, word
from connector.runtime.connector import Connector

FILE = Path(__file__).with_name("flows.yaml")
SPACE = uuid.UUID("5f0c1c6e-98b5-4d0e-8a43-7a1c1f6f3b52")
"""Ids of nodes follow from their names, so that the same flow is the same text."""
LANGUAGES = {"en", "de"}
STEP_WIDTH, ROW_HEIGHT = 240, 220
KINDS = {"action": "kontor", "poll": "kontorTrigger", "event": "kontorEventTrigger"}
"""Which of the package's nodes a step is."""
Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow: its name on the command line, its title, and what it does."""

    name: str
    title: Text
    about: Text
    steps: tuple[Step, ...]


def flows() -> dict[str, Flow]:
    """All flows, by name."""
    import yaml

    declared = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {
        name: Flow(name, Text(**one["title"]), Text(**one["about"]), tuple(one["steps"]))
        for name, one in declared.items()
    }


def workflow(flow: Flow, connector: Connector, lang: str) -> dict[str, Any]:
    """The flow as n8n imports it."""
    nodes: list[dict[str, Any]] = []
    connections: dict[str, Any] = {}
    first, row, column = flow.steps[0]["name"][lang], 0, 0
    for step in flow.steps:
        if step.get("begins"):
            row, column = row + 1, 0
        node = _node(step, connector, lang, first)
        node |= {"id": str(uuid.uuid5(SPACE, f"{flow.name} {step['name']['en']}"))}
        node |= {"position": [column * STEP_WIDTH, row * ROW_HEIGHT]}
        if node["type"].endswith(("webhook", "kontorEventTrigger")):
            node["webhookId"] = str(uuid.uuid5(SPACE, f"{flow.name} hook {row} {lang}"))
        if column:
            connections[nodes[-1]["name"]] = {"main": [[{"node": node["name"], "type": "main", "index": 0}]]}
        nodes.append(node)
        column += 1
    note = _note(flow, connector, lang)
    return {
        "name": flow.title.in_(lang),
        "nodes": [*nodes, note],
        "connections": connections,
        "settings": {"executionOrder": "v1"},
        "pinData": {},
        "active": False,
    }


def _node(step: Step, connector: Connector, lang: str, first: str) -> dict[str, Any]:
    name = step["name"][lang]
    if "node" in step:
        parameters = _spoken(step["parameters"], lang, first)
        return {"name": name, "type": step["node"], "typeVersion": step["version"], "parameters": parameters}
    kind = next(one for one in KINDS if one in step)
    inputs = _spoken(step.get("inputs", {}), lang, first)
    manifest = _manifest(step, connector)
    return {
        "name": name,
        "type": f"{NAME}.{KINDS[kind]}",
        "typeVersion": 1,
        "parameters": {**_chosen(kind, manifest), **filled_in(manifest, inputs)},
    }


def _manifest(step: Step, connector: Connector) -> Manifest:
    return (
        connector.action(step["action"]) if "action" in step else connector.trigger(step.get("poll") or step["event"])
    )


def _chosen(kind: str, manifest: Manifest) -> dict[str, Any]:
    """What the form needs besides the inputs."""
    if isinstance(manifest, Action):
        return {"resource": Resource(noun_of(manifest), (manifest,)).value, "operation": manifest.id}
    if kind == "event":
        return {"trigger": manifest.id, "replaceForeign": False}
    return {"trigger": manifest.id, "start": "now", "pollTimes": {"item": [{"mode": "everyHour", "minute": 7}]}}


def filled_in(manifest: Manifest, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs at the places where the form keeps them."""
    known = {field.name: field for field in manifest.inputs}
    parameters: dict[str, Any] = {}
    for name, value in inputs.items():
        place = parameters if stands_in_form(known[name]) else parameters.setdefault(ADDITIONAL, {})
        place[name] = _entry(known[name], value)
    return parameters


def _entry(field: Field, value: Any) -> Any:
    return {LINES: value} if field.type == "list" and isinstance(value, list) else value


def _spoken(value: Any, lang: str, first: str) -> Any:
    """A declared value in one language; `{first}` is the first step, as an expression names it."""
    if isinstance(value, dict):
        if set(value) == LANGUAGES:
            return _spoken(value[lang], lang, first)
        return {name: _spoken(one, lang, first) for name, one in value.items()}
    if isinstance(value, list):
        return [_spoken(one, lang, first) for one in value]
    return value.replace("{first}", f"'{first}'") if isinstance(value, str) else value


def _note(flow: Flow, connector: Connector, lang: str) -> dict[str, Any]:
    """What is left to do, where the person sees it."""
    left = [f"- **{step['name'][lang]}**: {', '.join(_asked(step, connector, lang))}" for step in flow.steps]
    text = word("n8n_flow_note", lang, title=flow.title, about=flow.about, steps="\n".join(left))
    return {
        "name": word("n8n_flow_note_name", lang),
        "id": str(uuid.uuid5(SPACE, f"{flow.name} note")),
        "type": "n8n-nodes-base.stickyNote",
        "typeVersion": 1,
        "position": [-420, -40],
        "parameters": {"content": text, "width": 380, "height": 420},
    }


def _asked(step: Step, connector: Connector, lang: str) -> list[str]:
    """What the person still chooses in a step."""
    if "node" in step:
        return [word("n8n_flow_address", lang)] if "webhook" in step["node"] else [word("n8n_flow_own", lang)]
    known = {field.name: field for field in _manifest(step, connector).inputs}
    return [word("n8n_flow_credential", lang), *(title(known[name].label, lang) for name in step.get("ask", ()))]
