"""A service that answers each action with the sample of its manifest, without a socket.

As a transport of httpx for Kontor itself: `connector.open(credential, transport=CannedService())`. By `register` for
programs that call the service, or a Kontor host, with requests, on a mock of the library responses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from connector.core.manifest.model import Action
from connector.core.values import json
from connector.runtime.requests.catalog import Catalog
from connector.runtime.requests.declared import DeclaredCalls

if TYPE_CHECKING:
    import responses
    from requests import PreparedRequest

LIMIT_HEADERS = {"ratelimit-limit": "1000000", "ratelimit-remaining": "999999", "ratelimit-reset": "60"}
"""A test may ask more often than the service allows."""
HOST_RUN = re.compile(r"/v1/actions/(?P<id>[a-z0-9_]+)/run")
"""The path by which a host runs an action."""


class Asked(NamedTuple):
    """A request that was answered."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Any
    """What its JSON says; None without a body."""


class CannedService(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers from samples, and remembers what it was asked."""

    def __init__(self, outputs: Mapping[str, Any] | None = None) -> None:
        """`outputs`, by the id of an action, takes the place of its sample; an exception is raised."""
        self._catalog = Catalog()
        self.outputs = {id: action.sample for id, action in self._catalog.actions.items()} | dict(outputs or {})
        plain = (action for action in self._catalog.actions.values() if action.picked is None)
        self._declared = DeclaredCalls(plain)
        self.asked: list[Asked] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of `httpx.Client`."""
        return self._answered(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of `httpx.AsyncClient`."""
        return self._answered(request, await request.aread())

    def register(self, mock: responses.RequestsMock, url: str) -> None:
        """Let a mock of responses answer whatever goes to the service or the host with this URL."""
        below = re.compile(re.escape(url.rstrip("/")) + "/.*")
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            mock.add_callback(method, below, callback=self._called_back, content_type="application/json")

    def _answered(self, request: httpx.Request, content: bytes) -> httpx.Response:
        status, value = self._answer(request.method, str(request.url), request.headers, content)
        headers = {"content-type": "application/json", **LIMIT_HEADERS}
        return httpx.Response(status, headers=headers, content=json.encode(value), request=request)

    def _called_back(self, request: PreparedRequest) -> tuple[int, dict[str, str], str]:
        content = request.body.encode() if isinstance(request.body, str) else request.body or b""
        status, value = self._answer(str(request.method), str(request.url), request.headers, content)
        return status, LIMIT_HEADERS, json.encode(value).decode()

    def _answer(self, method: str, url: str, headers: Mapping[str, str], content: bytes) -> tuple[int, Any]:
        parts, body = urlsplit(url), json.decode(content) if content else None
        self.asked.append(Asked(method, parts.path, parts.query, dict(headers), body))
        if match := HOST_RUN.fullmatch(parts.path):
            return self._run(match["id"])
        action = self._declared.find(method, parts.path)
        if action is None:
            return 404, {"error": f"No action has {method} {parts.path}."}
        return 200, _answer_of(action, self._output(action.id), body)

    def _run(self, id: str) -> tuple[int, Any]:
        """Answer as a host does that has run an action."""
        if id not in self.outputs:
            return 404, {"kind": "input", "title": f"There is no action {id}.", "outcome": "not_sent"}
        cost = {"cost": self._catalog.action(id).cost.credits, "balance": None}
        output = self._output(id)
        return 200, {
            "ok": True,
            "action": id,
            "output": output,
            "credits": cost,
            "replayed": False,
            "run": None,
            "warnings": [],
        }

    def _output(self, id: str) -> Any:
        output = self.outputs[id]
        if isinstance(output, Exception):
            raise output
        return output


def _answer_of(action: Action, output: Any, body: Any) -> Any:
    """Return the answer from which the manifest makes this output."""
    inner = output["items"] if action.is_list else output
    shape = action.shape
    if "wrap" in shape:
        inner = [row[shape["wrap"]] if len(row) == 1 else row for row in inner]
    if "entries" in shape:
        name = shape["entries"]["as"]
        inner = {row[name]: {key: value for key, value in row.items() if key != name} for row in inner}
    if action.read_back is not None and isinstance(body, Mapping):
        # A payment repeats what it was sent with: the marks, the amount or the IBAN of another would prove nothing.
        repeated = {name: body[name] for name in action.read_back.shows if name in body}
        inner = {**inner, **repeated, action.read_back.key_field: body.get(action.read_back.key_field, {})}
    assert action.request is not None
    return inner if action.request.answer_in == "body" else {action.answer_in: inner}
