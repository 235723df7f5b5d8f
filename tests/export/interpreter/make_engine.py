"""Runs the modules, RPCs, triggers and webhooks of an exported Make app, as far as the export uses them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import httpx

from connector.export.shape import Export
from tests.export.interpreter.exchange import Sent
from tests.export.interpreter.iml import UNDEFINED, as_text, evaluate
from tests.export.interpreter.make_form import fill, flat
from tests.export.interpreter.refusal import NotUnderstood, only

REQUEST = ("url", "method", "qs", "headers", "body", "encodeUrl", "condition", "response", "log", "baseUrl", "type")
RESPONSE = ("type", "error", "iterate", "output", "limit", "trigger", "valid", "temp", "data", "metadata")
LARGEST_EXACT = 2**53


class Failed(Exception):
    """The module ends with an error of Make."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(f"{type}: {message}")
        self.type, self.message = type, message


@dataclass
class Memory:
    """What Make keeps of a polling trigger between runs."""

    last_id: str | None = None
    last_date: str | None = None
    at_last_date: set[str] = field(default_factory=set)


class MakeEngine:
    """One app with one stored credential."""

    def __init__(self, export: Export, credential: Mapping[str, str], now: datetime | None = None) -> None:
        self.files = {name: json.loads(text) for name, text in export.files.items() if name.endswith(".json")}
        self.index = self.files["makecomapp.json"]["components"]
        self.base = self.files[self.files["makecomapp.json"]["generalCodeFiles"]["base"]]
        only(self.base, REQUEST, "base")
        self.credential = dict(credential)
        self.now = now or datetime.now(UTC)

    def code(self, kind: str, id: str, code: str) -> Any:
        return self.files[self.index[kind][id]["codeFiles"][code]]

    def form(self, module: str) -> list[dict[str, Any]]:
        return [*self.code("module", module, "staticParams"), *self.code("module", module, "mappableParams")]

    def module_request(self, module: str, inputs: Mapping[str, Any], memory: Memory | None = None) -> Sent:
        scope = self._scope(fill(self.form(module), inputs), memory)
        return self.request(self.code("module", module, "communication"), scope)

    def run(self, module: str, inputs: Mapping[str, Any], memory: Memory | None = None) -> list[Any]:
        """Runs a module; a polling one moves its memory."""
        scope = self._scope(fill(self.form(module), inputs), memory)
        return self._steps(self.code("module", module, "communication"), scope, memory)

    def rpc_request(self, store: str, form: Mapping[str, Any]) -> Sent:
        communication, scope = self._rpc(store, form)
        return self.request(communication, scope)

    def options(self, store: str, form: Mapping[str, Any]) -> list[dict[str, str]]:
        """The options of `rpc://…` with what the form holds so far."""
        communication, scope = self._rpc(store, form)
        if "url" not in communication:
            only(communication, ("response",), store)
            made: list[dict[str, str]] = evaluate(communication["response"]["output"], scope)
            return made
        return self._steps(communication, scope)

    def test_connection(self, id: str) -> Any:
        scope = {"parameters": self.credential}
        made = self.code("connection", id, "communication")
        return self._answer(made, self._sent(made, scope, {}), scope)

    def attach(self, webhook: str, url: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Registers a webhook; gives what Make keeps of it."""
        scope = self._scope(fill(self.code("webhook", webhook, "params"), inputs))
        scope["webhook"] = {"url": url}
        return {**scope["webhook"], **self._remote(self.code("webhook", webhook, "attach"), scope)}

    def detach(self, webhook: str, kept: Mapping[str, Any]) -> None:
        self._remote(self.code("webhook", webhook, "detach"), {**self._scope({}), "webhook": kept})

    def receive(self, webhook: str, body: Any) -> list[Any]:
        """What comes out of a webhook when this body comes in."""
        made = self.code("webhook", webhook, "communication")
        only(made, ("iterate", "output"), webhook)
        scope = {**self._scope({}), "body": body}
        return self._items(made, scope, [body]) if "iterate" in made else [evaluate(made["output"], scope)]

    def request(self, communication: Mapping[str, Any], scope: Mapping[str, Any]) -> Sent:
        only(communication, REQUEST, "a request")
        headers = {**self.base["headers"], **communication.get("headers", {})}
        return self._sent({**communication, "headers": headers}, scope, self.base)

    def _sent(self, made: Mapping[str, Any], scope: Mapping[str, Any], base: Mapping[str, Any]) -> Sent:
        url = as_text(evaluate(made["url"], scope))
        if url.startswith("/"):
            url = as_text(evaluate(base["baseUrl"], scope)) + url
        if made.get("encodeUrl", True):
            url = quote(url, safe="/:?&=%")
        query = {name: value for name, value in evaluate(made.get("qs", {}), scope).items() if value is not UNDEFINED}
        if query:
            url += "?" + urlencode({name: as_text(value) for name, value in query.items()}, quote_via=quote)
        headers = {name: as_text(value) for name, value in evaluate(made.get("headers", {}), scope).items()}
        body = evaluate(made["body"], scope) if "body" in made else UNDEFINED
        method = as_text(evaluate(made.get("method", "GET"), scope))
        if body is UNDEFINED:
            return Sent(method, url, headers)
        if made.get("type") == "text":
            return Sent(method, url, headers, as_text(body).encode())
        return Sent(method, url, {**headers, "content-type": "application/json"}, _written(body).encode())

    def _rpc(self, store: str, form: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        found = re.fullmatch(r"rpc://([A-Za-z0-9]+)(?:\?(.*))?", store)
        if found is None:
            raise NotUnderstood(store)
        given = {}
        for name, value in parse_qsl(found[2] or "", keep_blank_values=True):
            passed = evaluate(value, self._scope(form))
            if passed is not UNDEFINED and passed != "":
                given[name] = passed
        known = {parameter["name"] for parameter in flat(self.code("rpc", found[1], "params"))}
        if set(given) - known:
            raise NotUnderstood(f"{store} passes what the RPC does not take")
        return self.code("rpc", found[1], "communication"), self._scope(given)

    def _scope(self, parameters: Mapping[str, Any], memory: Memory | None = None) -> dict[str, Any]:
        data = {"lastID": memory.last_id or UNDEFINED} if memory else {}
        return {"parameters": parameters, "connection": self.credential, "data": data, "now": self.now, "temp": {}}

    def _remote(self, steps: Any, scope: dict[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for step in steps if isinstance(steps, list) else [steps]:
            if not evaluate(step.get("condition", True), scope):
                continue
            response = self._answer(step, self.request(step, scope), scope)
            kept |= evaluate(step.get("response", {}).get("data", {}), {**scope, **response})
        return kept

    def _answer(self, made: Mapping[str, Any], sent: Sent, scope: dict[str, Any]) -> dict[str, Any]:
        answer = sent.send()
        body = _parsed(answer) if answer.content else UNDEFINED
        seen = {"body": body, "statusCode": float(answer.status_code), "headers": dict(answer.headers)}
        response = made.get("response", {})
        only(response, RESPONSE, "a response")
        if not 200 <= answer.status_code < 300:
            errors = response.get("error") or self.base["response"]["error"]
            meaning = errors.get(str(answer.status_code), {"type": "RuntimeError", "message": errors["message"]})
            raise Failed(evaluate(meaning["type"], {**scope, **seen}), evaluate(meaning["message"], {**scope, **seen}))
        valid = response.get("valid")
        if valid and not evaluate(valid["condition"], {**scope, **seen}):
            raise Failed(valid["type"], evaluate(valid["message"], {**scope, **seen}))
        scope["temp"] = {**scope.get("temp", {}), **evaluate(response.get("temp", {}), {**scope, **seen})}
        return seen

    def _steps(
        self, communication: Mapping[str, Any], scope: dict[str, Any], memory: Memory | None = None
    ) -> list[Any]:
        seen = {**scope, **self._answer(communication, self.request(communication, scope), scope)}
        response = communication["response"]
        if "iterate" not in response:
            return [evaluate(response.get("output", "{{body}}"), seen)]
        limit = evaluate(response.get("limit", UNDEFINED), seen)
        most = None if limit is UNDEFINED else int(limit)
        if memory is not None:
            return self._remembered(response, seen, memory, most)
        return self._items(response, seen, None)[:most]

    def _items(self, made: Mapping[str, Any], seen: Mapping[str, Any], alone: list[Any] | None) -> list[Any]:
        return [evaluate(made["output"], {**seen, "item": item}) for item in self._passing(made, seen, alone)]

    def _passing(self, made: Mapping[str, Any], seen: Mapping[str, Any], alone: list[Any] | None) -> list[Any]:
        iterate = made["iterate"]
        container, condition = (
            (iterate, True) if isinstance(iterate, str) else (iterate["container"], iterate["condition"])
        )
        rows = evaluate(container, seen)
        if not isinstance(rows, list):
            rows = alone
        if rows is None:
            raise NotUnderstood(f"{container} is no list")
        return [row for row in rows if evaluate(condition, {**seen, "item": row})]

    def _remembered(
        self, made: Mapping[str, Any], seen: Mapping[str, Any], memory: Memory, most: int | None
    ) -> list[Any]:
        """Rows in the order given: those behind the last id, or those whose date is later than the last one."""
        trigger = made["trigger"]
        rows = self._passing(made, seen, None)
        if trigger["type"] == "date":
            rows = sorted(rows, key=lambda row: evaluate(trigger["date"], {**seen, "item": row}))
        out = []
        for row in rows:
            inner = {**seen, "item": row}
            id = as_text(evaluate(trigger["id"], inner))
            if trigger["type"] == "date":
                date = as_text(evaluate(trigger["date"], inner))
                if memory.last_date is not None and (
                    date < memory.last_date or (date == memory.last_date and id in memory.at_last_date)
                ):
                    continue
                if date != memory.last_date:
                    memory.at_last_date = set()
                memory.last_date = date
                memory.at_last_date.add(id)
            else:
                memory.last_id = id
            out.append(evaluate(made["output"], inner))
            if most is not None and len(out) == most:
                break
        return out


def _parsed(answer: httpx.Response) -> Any:
    """JSON as a JavaScript engine reads it: whole numbers beyond 2^53 lose digits."""
    return json.loads(
        answer.content, parse_int=lambda text: int(text) if abs(int(text)) < LARGEST_EXACT else float(text)
    )


def _written(value: Any) -> str:
    """JSON as a JavaScript engine writes it."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}:{_written(inner)}" for key, inner in value.items() if inner is not UNDEFINED)
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_written(inner) for inner in value) + "]"
    return as_text(value) if isinstance(value, float) else json.dumps(value)
