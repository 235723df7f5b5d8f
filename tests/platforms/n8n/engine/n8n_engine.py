"""n8n's engine in a process of its own, and a stand that fills in a node's form for any manifest."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest
from connector.export.n8n.fields import ADDITIONAL, LINES, stands_in_form
from connector.export.n8n.operations import LIMIT, Resource, noun_of
from tests.platforms.n8n.engine.n8n_tools import Toolchain

SCRIPT = Path(__file__).parent / "engine.cjs"
MARK = "@@"


class Refusal(Exception):
    """What n8n would show to a person."""

    def __init__(self, error: dict[str, Any], execution: str = "", static: dict[str, Any] | None = None) -> None:
        super().__init__(f"{error['message']} | {error['description']}")
        self.execution, self.static = execution, static or {}
        """Of an execution: its id, and what n8n keeps of its workflow."""
        self.message: str = error["message"]
        assert " " in self.message, "a name, not a sentence"
        self.remedy: str = error["description"] or ""
        self.status: str | None = error["httpCode"]
        self.kind: str = error["name"]


class Engine:
    """The engine with one package loaded; every call is one execution.

    `hurry` is how many times as fast pauses pass.
    """

    def __init__(self, tools: Toolchain, package: Path, hurry: int = 1) -> None:
        self._process = subprocess.Popen(
            [tools.node.program, str(SCRIPT), str(package), str(hurry)],
            cwd=tools.folder,
            env=tools.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._hear() == {"ready": True}

    def ask(self, do: str, node: str, credential: dict[str, str], **more: Any) -> dict[str, Any]:
        """One order; a node's error becomes a `Refusal`."""
        assert self._process.stdin is not None
        order = {"do": do, "node": node, "credential": credential, **more}
        self._process.stdin.write(json.dumps(order, default=float) + "\n")
        self._process.stdin.flush()
        answer = self._hear()
        if not answer["ok"]:
            raise Refusal(answer["error"], answer.get("execution", ""), answer.get("static"))
        return answer

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(MARK):
                heard: dict[str, Any] = json.loads(line.removeprefix(MARK), parse_float=Decimal)
                return heard
        raise AssertionError("the engine has ended")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


class Stand:
    """One service or host, seen through the engine."""

    def __init__(self, engine: Engine, credential: dict[str, str]) -> None:
        self.engine = engine
        self.credential = {"account": str(uuid4()), **credential}
        """An account of its own: what is remembered of writes belongs to the stored credential."""

    def run(self, action: Action, inputs: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        parameters = {**chosen(action), **parameters_of(action, inputs)}
        return self.run_form(parameters, **more)

    def run_raw(self, action: Action, raw: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        """Runs one operation with inputs exactly as they are, as an expression may hand them over."""
        return self.run_form({**chosen(action), **parameters_of(action, raw, _as_it_is)}, **more)

    def run_form(self, parameters: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        answer = self.engine.ask("run", "kontor", self.credential, parameters=parameters, **more)
        return [item["json"] for item in answer["items"]]

    def options(
        self, method: str, parameters: dict[str, Any], node: str = "kontor", search: str | None = None
    ) -> list[dict[str, Any]]:
        """All options, page by page, as they come to a person who scrolls down."""
        found: list[dict[str, Any]] = []
        after: str | None = None
        while True:
            page, after = self.page(method, parameters, node, search, after)
            found += page
            if after is None:
                return found

    def page(
        self,
        method: str,
        parameters: dict[str, Any],
        node: str = "kontor",
        search: str | None = None,
        after: str | None = None,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """One page of options, and where the next one begins."""
        asked = {"method": method, "parameters": parameters, "search": search, "after": after}
        wanted = {name: value for name, value in asked.items() if value is not None}
        answer = self.engine.ask("options", node, self.credential, **wanted)
        return answer["options"], answer["next"]


def run_against(engine: Engine, url: str, action: Action, raw: dict[str, Any]) -> list[dict[str, Any]]:
    """Runs one operation with raw inputs against whatever answers at that address, such as a stub service."""
    return Stand(engine, {"baseUrl": url, "apiKey": "a-key"}).run_raw(action, raw)


class Flow:
    """A polled workflow: what n8n keeps for it between two polls is kept here."""

    def __init__(self, stand: Stand, trigger: Manifest, start: str = "now", since: str = "", **inputs: Any) -> None:
        self._stand, self._trigger = stand, trigger
        self.parameters = {
            "trigger": trigger.id,
            "start": start,
            "since": since,
            **parameters_of(trigger, inputs),
        }
        self.static: dict[str, Any] = {}
        self.seconds_ahead = 0.0
        """How much later than now it is for n8n."""
        self.errors: list[str] = []
        """What polls have told that went on: n8n shows each as a failed execution."""

    def poll(self, mode: str = "trigger") -> list[dict[str, Any]]:
        answer = self._stand.engine.ask(
            "poll",
            "kontorTrigger",
            self._stand.credential,
            parameters=self.parameters,
            mode=mode,
            static=self.static,
            ahead=1000 * self.seconds_ahead,
        )
        self.static = answer["static"]
        self.errors += answer["errors"]
        return [item["json"] for item in answer["items"]]


class EventFlow:
    """A workflow that events start."""

    def __init__(self, stand: Stand, trigger: Manifest, replace: bool = False, **inputs: Any) -> None:
        self._stand = stand
        self.parameters = {"trigger": trigger.id, "replaceForeign": replace, **parameters_of(trigger, inputs)}
        self.static: dict[str, Any] = {}
        self.workflow = str(uuid4())
        self.webhook_base = "http://127.0.0.1/webhook"
        self.url = ""

    def hook(self, method: str) -> bool:
        answer = self._ask("hook", method=method)
        self.url = answer["url"]
        return bool(answer["done"])

    def receive(self, body: bytes | str, headers: dict[str, str] | None = None) -> tuple[int, list[dict[str, Any]]]:
        text = body.decode() if isinstance(body, bytes) else body
        answer = self._ask("event", body=text, headers=headers or {})
        return answer["status"], [item["json"] for item in answer["items"]]

    def receive_at_once(self, *bodies: str) -> list[dict[str, Any]]:
        answer = self._ask("events", bodies=bodies)
        return [item["json"] for item in answer["items"]]

    def _ask(self, do: str, **more: Any) -> dict[str, Any]:
        own = {"parameters": self.parameters, "static": self.static, "workflow": self.workflow}
        more = {**own, "webhookBase": self.webhook_base, **more}
        answer = self._stand.engine.ask(do, "kontorEventTrigger", self._stand.credential, **more)
        self.static = answer["static"]
        return answer


def chosen(action: Action) -> dict[str, Any]:
    """The operation as it is chosen in the form, with all rows wanted."""
    resource = Resource(noun_of(action), (action,)).value
    return {"resource": resource, "operation": action.id, **({"returnAll": True} if action.is_list else {})}


Enter = Callable[[Field, Any], Any]


def parameters_of(manifest: Manifest, inputs: dict[str, Any], enter: Enter | None = None) -> dict[str, Any]:
    """The inputs as a person would have left them in n8n's form."""
    parameters: dict[str, Any] = {}
    for field in manifest.inputs:
        if field.name not in inputs:
            continue
        value = _in_lines(field, inputs[field.name], enter or _as_typed)
        if field.lookup is not None and enter is None:
            value = {"__rl": True, "mode": "list", "value": value}
        if isinstance(manifest, Action) and manifest.is_list and field.name == LIMIT:
            parameters |= {"returnAll": False, LIMIT: value}
        elif stands_in_form(field):
            parameters[field.name] = value
        else:
            parameters.setdefault(ADDITIONAL, {})[field.name] = value
    return parameters


def _in_lines(field: Field, value: Any, enter: Enter) -> Any:
    def entry(line: Any) -> Any:
        known = {one.name: one for one in field.fields}
        if not isinstance(line, dict):
            return line
        return {name: _in_lines(known[name], one, enter) if name in known else one for name, one in line.items()}

    if field.fields and isinstance(value, list):
        return {LINES: [entry(line) for line in value]}
    if field.fields and isinstance(value, dict):
        return {LINES: entry(value)}
    return enter(field, value)


def _as_typed(field: Field, value: Any) -> Any:
    if field.type in {"money", "number"}:
        return str(value)
    return json.dumps(value) if field.type == "object" else value


def _as_it_is(field: Field, value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value
