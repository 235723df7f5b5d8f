"""The piece in Activepieces' own framework, with a context like that of its engine."""

from __future__ import annotations

import base64
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from connector import Connector
from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Trigger
from connector.export.catalogue import ready_made
from connector.export.shape import ExportOptions
from tests.platforms.node import or_skip
from tests.platforms.node_packages.engines.process import EngineProcess
from tests.platforms.node_packages.engines.stand import ANY, Address, Means, Refusal, Row
from tests.platforms.npm import installed
from tests.support.running_sandbox import Receiver

NO_RUN = "mcp-flow-run-id"


class Activepieces:
    """The framework with one piece."""

    name = "activepieces"

    def __init__(
        self, folder: Path, options: ExportOptions, connector: Connector, hurry: int = 1, settings: Row | None = None
    ) -> None:
        assert settings is None, "it has none"
        with or_skip():
            packages = installed("activepieces")
        made = ready_made("activepieces", connector, options)
        assert made is not None
        with tarfile.open(fileobj=io.BytesIO(made[1])) as archive:
            archive.extractall(folder, filter="data")
        self.folder = folder / "package"
        (self.folder / "node_modules").symlink_to(packages / "node_modules", target_is_directory=True)
        self._hurry = hurry
        self.start()

    def start(self) -> None:
        self.process = EngineProcess("activepieces.cjs", self.folder, str(self.folder), str(self._hurry))

    def close(self) -> None:
        self.process.close()

    def stand(self, address: Address) -> ActivepiecesStand:
        return ActivepiecesStand(self, address)


class ActivepiecesStand:
    """One connection in a project of its own."""

    name = "activepieces"

    def __init__(self, engine: Activepieces, address: Address) -> None:
        self.engine = engine
        self.store = uuid4().hex
        names = {"baseUrl": "base_url", "apiKey": "api_key", "hostToken": "host_token"}
        props: Row = {names[name]: value for name, value in address.items() if name in names}
        props["agents_may_pay"] = address.get("agents") == "may pay"
        self.auth: Row = {"type": "CUSTOM_AUTH", "props": props}

    def run(self, action: Action, inputs: Row, means: Means = ANY) -> Any:
        return self._asked(self.order(action, form(action, inputs), means))["output"]

    def run_raw(self, action: Action, raw: Row, means: Means = ANY) -> Any:
        return self._asked(self.order(action, form(action, raw), means))["output"]

    def at_once(self, action: Action, inputs: Row, means: Sequence[Means]) -> list[Any]:
        orders = [self.order(action, form(action, inputs), one) for one in means]
        answers = self.engine.process.do("at_once", orders=orders)["answers"]
        return [one["output"] if one["ok"] else _refusal(one["error"]) for one in answers]

    def order(self, action: Action, entered: Row, means: Means) -> Row:
        run = NO_RUN if means.agent else means.run or uuid4().hex
        said = {"kontor_key": means.own, "kontor_again": means.again} if action.repeat == "duplicates" else {}
        return {
            "do": "run",
            "action": action.id,
            "auth": self.auth,
            "store": self.store,
            "props": {**entered, **said},
            "run": run,
            "tried": means.tried,
        }

    def options(self, manifest: Action | Trigger, field: Field, inputs: Row) -> list[tuple[str, str]]:
        order = {"owner": manifest.id, "kind": manifest.kind, "prop": field.name, "auth": self.auth, "props": inputs}
        state = self.engine.process.do("options", **order)["state"]
        if state.get("disabled"):
            raise Refusal(state["placeholder"], {})
        return [(one["value"], one["label"]) for one in state["options"]]

    def poll_flow(self, trigger: Trigger, start: str = "now", since: str = "", **inputs: Any) -> ActivepiecesPollFlow:
        begin = {"kontor_start": start, "kontor_since": since}
        return ActivepiecesPollFlow(self, trigger, {**form(trigger, inputs), **begin})

    def event_flow(self, trigger: Trigger, replace: bool = False, **inputs: Any) -> ActivepiecesEventFlow:
        return ActivepiecesEventFlow(self, trigger, {**form(trigger, inputs), "kontor_replace_foreign_url": replace})

    def _asked(self, order: Row) -> Row:
        answer = self.engine.process.ask(**order)
        if not answer["ok"]:
            raise _refusal(answer["error"])
        return answer


class _TriggerFlow:
    def __init__(self, stand: ActivepiecesStand, trigger: Trigger, props: Row) -> None:
        self.stand, self.trigger, self.props = stand, trigger, props
        self.flow = uuid4().hex

    def hook(self, name: str, **more: Any) -> Row:
        own = {"trigger": self.trigger.id, "auth": self.stand.auth, "store": self.stand.store, "flow": self.flow}
        answer = self.stand.engine.process.ask("hook", hook=name, props=self.props, **own, **more)
        if not answer["ok"]:
            raise _refusal(answer["error"])
        return answer


class ActivepiecesPollFlow(_TriggerFlow):
    """A flow that a poll starts: switched on at its first poll, whose start from now on takes note of what is there."""

    _is_on = False

    def poll(self) -> list[Row]:
        if not self._is_on:
            self.hook("onEnable")
            self._is_on = True
            if self.props["kontor_start"] == "now":
                return []
        return _without_dedupe(self.hook("run")["items"])

    def reborn(self) -> None:
        process = self.stand.engine.process
        entries = process.do("dump", store=self.stand.store)["entries"]
        process.kill()
        self.stand.engine.start()
        self.stand.engine.process.do("load", store=self.stand.store, entries=entries)

    def refused(self) -> Refusal:
        try:
            self.poll()
        except Refusal as refused:
            return refused
        raise AssertionError("it was not refused")


class ActivepiecesEventFlow(_TriggerFlow):
    """A flow that events start: Activepieces answers for it, and hands on what came in."""

    def __init__(self, stand: ActivepiecesStand, trigger: Trigger, props: Row) -> None:
        super().__init__(stand, trigger, props)
        self.receiver = Receiver()
        self.url = self.receiver.url

    def switch_on(self) -> None:
        self.hook("onEnable", webhookUrl=self.url)

    def switch_off(self) -> None:
        self.hook("onDisable", webhookUrl=self.url)

    def deliver(self, body: str, headers: Mapping[str, str] | None = None) -> tuple[int, list[Row]]:
        payload = {"body": json.loads(body), "rawBody": body, "headers": dict(headers or {})}
        return 200, _without_dedupe(self.hook("run", webhookUrl=self.url, payload=payload)["items"])

    def fired(self) -> list[Row]:
        self.receiver.next()
        return self.deliver(self.receiver.bodies[-1].decode(), self.receiver.headers[-1])[1]


def _without_dedupe(items: list[Row]) -> list[Row]:
    assert all(one.pop("_dedupe_key") == one["_id"] for one in items)
    return items


def _refusal(error: Row) -> Refusal:
    return Refusal(error["message"], error)


def form(manifest: Action | Trigger, inputs: Row) -> Row:
    """The inputs as a person enters them: a group's fields are named after both, files are data addresses."""
    known = {one.name: one for one in manifest.inputs}
    entered: Row = {}
    for name, value in inputs.items():
        entered |= _entered(known[name], value, name) if name in known else {name: value}
    return entered


def _entered(field: Field, value: Any, key: str) -> Row:
    known = {one.name: one for one in field.fields}
    if field.type == "object" and known and isinstance(value, dict):
        parts = [_entered(known[name], inner, f"{key}_{name}") for name, inner in value.items() if name in known]
        return {name: inner for part in parts for name, inner in part.items()}
    if field.type == "list" and known and isinstance(value, dict):
        value = [value]
    if field.type == "list" and known and isinstance(value, list):
        return {key: [_line(known, line) for line in value]}
    if field.type == "file" and isinstance(value, str):
        return {key: f"data:application/octet-stream;base64,{value}" if _is_base64(value) else value}
    return {key: value}


def _line(known: dict[str, Field], line: Any) -> Any:
    if not isinstance(line, dict):
        return line
    entered: Row = {}
    for name, value in line.items():
        entered |= (
            {name: value} if name not in known or known[name].type == "list" else _entered(known[name], value, name)
        )
    return entered


def _is_base64(value: str) -> bool:
    try:
        return bool(base64.b64decode(value, validate=True))
    except ValueError:
        return False
