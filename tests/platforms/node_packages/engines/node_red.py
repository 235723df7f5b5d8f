"""The package in the real Node-RED: flows are deployed by its admin API, and messages go through its nodes."""

from __future__ import annotations

import hmac
import io
import json
import shutil
import tarfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from connector import Connector
from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Trigger
from connector.export.catalogue import ready_made
from connector.export.shape import ExportOptions
from tests.platforms.node import or_skip
from tests.platforms.node_packages.engines.process import EngineProcess
from tests.platforms.node_packages.engines.stand import ANY, Address, Means, Refusal, Row
from tests.platforms.npm import installed

ACCOUNT, STEP, TRIGGER = "account", "step", "trigger"
TAB: Row = {"id": "tab", "type": "tab", "label": "tests"}
WAIT = 10.0
ERROR = 20
"""The level of errors in the log of Node-RED."""


class NodeRed:
    """A Node-RED with one package; it can be ended and started again in the same folder."""

    name = "node-red"

    def __init__(
        self, folder: Path, options: ExportOptions, connector: Connector, hurry: int = 1, settings: Row | None = None
    ) -> None:
        with or_skip():
            self._packages = installed("node-red")
        self.folder, self._hurry, self._settings = folder, hurry, settings or {}
        made = ready_made("node-red", connector, options)
        assert made is not None
        with tarfile.open(fileobj=io.BytesIO(made[1])) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        home = folder / "node_modules" / "@kontor"
        home.mkdir(parents=True)
        shutil.move(folder / "unpacked" / "package", home / "node-red")
        (folder / "package.json").write_text(json.dumps({"name": "flows", "version": "0.0.1", "private": True}))
        self.start()

    def start(self) -> None:
        arguments = (str(self.folder), str(self._hurry), json.dumps(self._settings))
        self.process = EngineProcess("node_red.cjs", self._packages, *arguments)
        self.url: str = self.process.ready["url"]

    def restart(self) -> None:
        """Ends it without a word and starts it again; its flows are there, and what was kept on disk."""
        self.process.kill()
        self.start()

    def close(self) -> None:
        self.process.close()

    def deploy(self, *nodes: Row, type: str = "full") -> None:
        flows = [{"x": 0, "y": 0, **one} if "z" in one else one for one in nodes]  # nodes without a place hold settings
        self.process.do("deploy", flows=[TAB, *flows], type=type)

    def stand(self, address: Address) -> NodeRedStand:
        return NodeRedStand(self, address)


class NodeRedStand:
    """Flows of an account of their own: what is remembered of writes belongs to it."""

    name = "node-red"

    def __init__(self, engine: NodeRed, address: Address) -> None:
        self.engine, self.address = engine, address
        self.account_id = f"{ACCOUNT}{uuid4().hex[:8]}"

    @property
    def account(self) -> Row:
        secrets = {name: self.address[name] for name in ("apiKey", "hostToken") if name in self.address}
        return {
            "id": self.account_id,
            "type": "kontor-account",
            "name": "",
            "baseUrl": self.address["baseUrl"],
            "publicUrl": self.engine.url,
            "store": "",
            "replaceForeign": self.address.get("replace") == "yes",
            "credentials": secrets,
        }

    def run(self, action: Action, inputs: Row, means: Means = ANY) -> Any:
        return self._ran(action, typed(inputs), {}, means)

    def run_raw(self, action: Action, raw: Row, means: Means = ANY) -> Any:
        inputs = {name: {"type": "msg", "value": f"given.{name}"} for name in raw}
        return self._ran(action, inputs, {"given": raw}, means)

    def at_once(self, action: Action, inputs: Row, means: Sequence[Means]) -> list[Any]:
        self.deploy_step(action, typed(inputs))
        orders = [{"node": STEP, "msg": message(one)} for one in means]
        answers = self.engine.process.do("at_once", orders=orders)["answers"]
        return [refusal(one) or one["outputs"][-1]["msg"]["payload"] for one in answers]

    def send(self, msg: Row) -> Row:
        """What Node-RED does with a message at the step."""
        return self.engine.process.do("input", node=STEP, msg=msg)

    def deploy_step(self, action: Action, inputs: Mapping[str, Any], **more: Any) -> None:
        step = {"action": action.id, "inputs": inputs, "account": self.account_id, **SAID, **more}
        self.engine.deploy(
            self.account,
            {"id": STEP, "type": "kontor-action", "z": "tab", "name": "", **step, "wires": [["sink"], ["sink"]]},
            {"id": "catch", "type": "catch", "z": "tab", "scope": None, "uncaught": False, "wires": [["sink"]]},
            {"id": "sink", "type": "debug", "z": "tab", "active": False, "wires": []},
        )

    def _ran(self, action: Action, inputs: Row, msg: Row, means: Means) -> Any:
        self.deploy_step(action, inputs)
        answer = self.send({**message(means), **msg})
        if refused := refusal(answer):
            raise refused
        [output] = answer["outputs"]
        return output["msg"]["payload"]

    def options(self, manifest: Action | Trigger, field: Field, inputs: Row) -> list[tuple[str, str]]:
        assert field.lookup is not None
        self.engine.deploy(self.account)
        sources = form_field(self.engine, manifest, field)["lookup"]["inputs"]
        given = {name: inputs[one["from"]] if "from" in one else one["value"] for name, one in sources.items()}
        body = {"account": self.account_id, "lookup": field.lookup.id, "inputs": given}
        answer = httpx.post(f"{self.engine.url}/kontor/options", json=body, timeout=60)
        found = answer.json()
        if answer.status_code != 200:
            raise Refusal(f"{found['message']} {found['remedy']}", found)
        return [(one["value"], one["label"]) for one in found["options"]]

    def poll_flow(self, trigger: Trigger, start: str = "now", since: str = "", **inputs: Any) -> NodeRedPollFlow:
        return NodeRedPollFlow(self, trigger, {"start": start, "since": since, "inputs": typed(inputs)})

    def event_flow(self, trigger: Trigger, replace: bool = False, **inputs: Any) -> NodeRedEventFlow:
        self.address = {**self.address, "replace": "yes" if replace else "no"}
        return NodeRedEventFlow(self, trigger, {"inputs": typed(inputs)})


SAID = {
    "key": {"type": "msg", "value": "own"},
    "again": {"type": "msg", "value": "again"},
}
"""Key and "send again" come from the message, so that one flow serves for all calls."""


def message(means: Means) -> Row:
    assert not means.tried, "Node-RED does not tell"
    assert not means.agent, "Node-RED has none"
    return {"_msgid": means.run or uuid4().hex[:16], "own": means.own, "again": means.again}


def refusal(answer: Row) -> Refusal | None:
    error = answer["error"]
    if error is None:
        return None
    [caught] = answer["caught"]
    assert caught["error"]["message"] == error["message"]
    assert caught["error"]["code"] == error["code"]
    assert caught["_msgid"]
    return Refusal(error["message"], caught["error"]["cause"])


def typed(inputs: Row) -> Row:
    """The inputs as a person enters them in the editor."""
    return {name: _typed(value) for name, value in inputs.items()}


def _typed(value: Any) -> Row:
    if isinstance(value, Mapping) and set(value) == {"type", "value"}:
        return dict(value)
    if isinstance(value, dict | list):
        return {"type": "json", "value": json.dumps(value, default=str)}
    if isinstance(value, bool):
        return {"type": "choice", "value": str(value).lower()}
    return {"type": "str", "value": str(value)}


def form_field(engine: NodeRed, manifest: Action | Trigger, field: Field) -> Row:
    """A field of a form, as the editor's page knows it."""
    page = (engine.folder / "node_modules/@kontor/node-red/nodes/kontor.html").read_text(encoding="utf-8")
    forms = json.JSONDecoder().raw_decode(page, page.index("const FORMS = ") + len("const FORMS = "))[0]
    fields = forms[f"{manifest.kind}s"][manifest.id]["fields"]
    return next(one for one in fields if one["name"] == field.name)


class _TriggerFlow:
    """A deployed trigger."""

    def __init__(self, stand: NodeRedStand, trigger: Trigger, config: Row) -> None:
        self.stand, self.trigger, self.config = stand, trigger, config
        self.id = f"{TRIGGER}{uuid4().hex[:8]}"

    @property
    def engine(self) -> NodeRed:
        return self.stand.engine

    def deploy(self) -> None:
        own = {"trigger": self.trigger.id, "account": self.stand.account_id, "every": "600", **self.config}
        node = {"id": self.id, "type": "kontor-trigger", "z": "tab", "name": "", **own, "wires": [["sink"]]}
        sink = {"id": "sink", "type": "debug", "z": "tab", "active": False, "wires": []}
        self.engine.deploy(self.stand.account, node, sink)

    def drain(self) -> list[Row]:
        return [one["payload"] for one in self.messages()]

    def messages(self) -> list[Row]:
        messages: list[Row] = self.engine.process.do("drain", node=self.id)["messages"]
        return messages

    def status(self) -> str:
        status = self.engine.process.do("status", node=self.id)["status"]
        return str((status or {}).get("text", ""))

    def errors(self) -> list[str]:
        entries = self.engine.process.do("logged")["entries"]
        return [one["text"] for one in entries if one.get("id") == self.id and one["level"] == ERROR]


class NodeRedPollFlow(_TriggerFlow):
    """A flow that a poll starts; a press of its button polls at once."""

    def __init__(self, stand: NodeRedStand, trigger: Trigger, config: Row) -> None:
        super().__init__(stand, trigger, config)
        self._is_deployed = False

    def poll(self) -> list[Row]:
        if not self._is_deployed:
            self.deploy()
            self._is_deployed = True
        self.errors()
        answer = httpx.post(f"{self.engine.url}/kontor/poll/{self.id}", json={}, timeout=60)
        assert answer.status_code == 200, answer.text
        if told := self.errors():
            raise Refusal(told[-1], {})
        return self.drain()

    def reborn(self) -> None:
        self.engine.restart()

    def refused(self) -> Refusal:
        try:
            self.poll()
        except Refusal as refused:
            return refused
        raise AssertionError("it was not refused")


class NodeRedEventFlow(_TriggerFlow):
    """A flow that events start: they come in at Node-RED itself."""

    @property
    def url(self) -> str:
        """What nobody can guess who does not know the key."""
        address = self.stand.address
        owner = self.id if "hostToken" in address else self.stand.account_id
        token = hmac.digest(address["apiKey"].encode(), f"kontor-events/{owner}".encode(), "sha256").hex()
        return f"{self.engine.url}/api/kontor/events/{token}"

    def switch_on(self) -> None:
        self.deploy()
        self._wait(lambda: self.status() != "")
        if told := self.errors():
            raise Refusal(told[-1], {})

    def switch_off(self) -> None:
        self.engine.deploy(self.stand.account)

    def deliver(self, body: str, headers: Mapping[str, str] | None = None) -> tuple[int, list[Row]]:
        self.drain()
        sent = {
            name: value for name, value in (headers or {}).items() if name.lower() not in ("host", "content-length")
        }
        answer = httpx.post(self.url, content=body.encode(), headers=sent, timeout=60)
        return answer.status_code, self.drain()

    def fired(self) -> list[Row]:
        found: list[Row] = []

        def has_fired() -> bool:
            found.extend(self.drain())
            return bool(found)

        self._wait(has_fired)
        return found

    def _wait(self, condition: Any) -> None:
        ends = time.monotonic() + WAIT
        while not condition():
            assert time.monotonic() < ends, "it took too long"
            time.sleep(0.02)
