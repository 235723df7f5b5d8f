"""Rules about a Make app's requests: what Make refuses or misreads, and what would pay twice or steal a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from connector.export.make.lint.app import MakeApp, texts
from connector.export.shape import Finding

BODIED = frozenset({"POST", "PUT", "PATCH"})
STATUS = re.compile(r"[0-9]{3}")
ERROR_TYPES = frozenset(
    {
        "RuntimeError",
        "DataError",
        "RateLimitError",
        "OutOfSpaceError",
        "ConnectionError",
        "InvalidConfigurationError",
        "InvalidAccessTokenError",
        "IncompleteDataError",
        "DuplicateDataError",
    }
)
EXPECTED = {"401": "InvalidAccessTokenError", "429": "RateLimitError", "503": "ConnectionError", "400": "DataError"}
REPEATED = frozenset({"ConnectionError", "RateLimitError"})
"""What Make tries again by itself."""
PARAMETER = re.compile(r"parameters\.([A-Za-z_][A-Za-z0-9_]*)")
EXPRESSION = re.compile(r"\{\{|\}\}")
MOST_ROWS = 3200


def bodies_are_there(app: MakeApp) -> Iterator[Finding]:
    """A request that writes needs a body, if only an empty one."""
    for where, request in _all(app):
        if request.get("method") in BODIED and "body" not in request:
            yield Finding(where, f"{request['method']} without a body")


def queries_are_objects(app: MakeApp) -> Iterator[Finding]:
    """`qs` and `headers` are objects, not expressions."""
    for where, request in _all(app):
        for name in ("qs", "headers"):
            if name in request and not isinstance(request[name], dict):
                yield Finding(where, f"{name} must be an object")


def statuses_are_exact(app: MakeApp) -> Iterator[Finding]:
    """An error map has three-digit keys, known types, and a message for the rest."""
    for where, request in _all(app):
        errors = request.get("response", {}).get("error")
        if not isinstance(errors, dict):
            continue
        if "message" not in errors:
            yield Finding(where, "the error map has no message for other statuses")
        for key, meaning in errors.items():
            if key in ("message", "type"):
                continue
            if not STATUS.fullmatch(key):
                yield Finding(where, f"the error map has the key {key}; only three digits are understood")
            elif not _error_types(meaning) or not _error_types(meaning) <= ERROR_TYPES:
                yield Finding(where, f"status {key} has the unknown error type {meaning.get('type')}")


def base_tells_errors_apart(app: MakeApp) -> Iterator[Finding]:
    """The base says what a refused key, a limit, a lost line and wrong data are."""
    errors = (app.base() or {}).get("response", {}).get("error", {})
    for status, type in EXPECTED.items():
        if not isinstance(errors, dict) or type not in _error_types(errors.get(status, {})):
            yield Finding("base", f"status {status} must be a {type}")


def writes_are_not_repeated(app: MakeApp) -> Iterator[Finding]:
    """A write of the service that failed half-way may have happened: Make must not send it again by itself."""
    for module in app.of_kind("module"):
        for where, request in app.requests(module):
            if request.get("method") in BODIED and not str(request.get("url", "")).startswith("/v1/"):
                errors = request.get("response", {}).get("error", {})
                for status in ("500", "502", "503", "504"):
                    if not _error_types(errors.get(status, {})) or _error_types(errors[status]) & REPEATED:
                        yield Finding(where, f"status {status} of a write would be repeated")


def secrets_are_sanitized(app: MakeApp) -> Iterator[Finding]:
    """The key stays out of the logs, in the base and in every connection."""
    places: list[tuple[str, Any]] = [("base", app.base())]
    places += [(one.where, app.code(one, "communication")) for one in app.of_kind("connection")]
    for where, request in places:
        hidden = {text.lower() for text in ((request or {}).get("log", {}).get("sanitize") or ())}
        headers = (request or {}).get("headers")
        for header, value in headers.items() if isinstance(headers, dict) else ():
            if _is_secret(str(value)) and f"request.headers.{header.lower()}" not in hidden:
                yield Finding(where, f"log.sanitize does not list request.headers.{header.lower()}")
        if not hidden:
            yield Finding(where, "has no log.sanitize")


def connections_are_tested(app: MakeApp) -> Iterator[Finding]:
    """A connection makes a call that fails when the key is wrong."""
    for connection in app.of_kind("connection"):
        if not (app.code(connection, "communication") or {}).get("url"):
            yield Finding(connection.where, "is stored without a test")


def parameters_exist(app: MakeApp) -> Iterator[Finding]:
    """Every parameter that a request reads is in the component's form."""
    for component in app.components:
        known = {parameter.get("name") for _, parameter in app.form(component)}
        for where, request in app.requests(component):
            for text in texts(request):
                for name in PARAMETER.findall(text):
                    if name not in known:
                        yield Finding(where, f"reads the parameter {name}, which is in no form")


def expressions_are_closed(app: MakeApp) -> Iterator[Finding]:
    """Braces open and close, one pair at a time."""
    for component in app.components:
        for where, request in app.requests(component):
            for text in texts(request):
                marks = EXPRESSION.findall(text)
                if marks != ["{{", "}}"] * (len(marks) // 2):
                    yield Finding(where, f"an expression is not closed: {text[:40]}")


def webhooks_look_first(app: MakeApp) -> Iterator[Finding]:
    """Where one URL serves all, it is read before it is set, and removed only while it is ours."""
    for webhook in app.of_kind("webhook"):
        for code in ("attach", "detach"):
            content = app.code(webhook, code)
            if content is None:
                yield Finding(webhook.where, f"has no {code}")
                continue
            steps = content if isinstance(content, list) else [content]
            sets = [at for at, step in enumerate(steps) if step.get("method") == "PUT"]
            for at in sets:
                guarded = steps[at].get("condition") or any("valid" in one.get("response", {}) for one in steps[:at])
                if not guarded or all(one.get("method") != "GET" for one in steps[:at]):
                    yield Finding(webhook.where, f"{code} sets the URL without looking whose it is")


def shared_uid_is_not_top(app: MakeApp) -> Iterator[Finding]:
    """`uid` at the top of a webhook is described, and refused by the schema all the same."""
    for webhook in app.of_kind("webhook"):
        if "uid" in (app.code(webhook, "communication") or {}):
            yield Finding(webhook.where, "has uid at the top; it belongs into response")


def lists_are_limited(app: MakeApp) -> Iterator[Finding]:
    """Whatever goes through a list says how many items it may return."""
    for component in app.components:
        if component.kind not in ("module", "rpc"):
            continue
        for where, request in app.requests(component):
            response = request.get("response", {})
            if "iterate" in response and "limit" not in response:
                yield Finding(where, "goes through a list without a limit")
            if isinstance(response.get("limit"), int) and response["limit"] > MOST_ROWS:
                yield Finding(where, f"a limit above {MOST_ROWS} is cut by Make")


def triggers_remember(app: MakeApp) -> Iterator[Finding]:
    """A polling trigger says what it remembers, in which order rows come, and where a person may start."""
    for module in app.of_kind("module"):
        if module.entry.get("moduleType") != "trigger":
            continue
        memory = (app.code(module, "communication") or {}).get("response", {}).get("trigger", {})
        if not {"type", "order", "id"} <= set(memory):
            yield Finding(module.where, "is a trigger that does not say type, order and id")
        if memory.get("type") == "date" and "date" not in memory:
            yield Finding(module.where, "remembers a date without saying which")
        qs = (app.code(module, "communication") or {}).get("qs", {})
        if memory.get("type") == "id" and memory.get("order") == "asc" and "{{data.lastID}}" not in qs.values():
            yield Finding(module.where, "reads in ascending order without asking behind the last id")
        epoch = app.code(module, "epoch")
        if not epoch or not {"label", "date"} <= set(epoch.get("response", {}).get("output", {})):
            yield Finding(module.where, "has no list from which to choose where to start")


def _all(app: MakeApp) -> Iterator[tuple[str, dict[str, Any]]]:
    base = app.base()
    if isinstance(base, dict):
        yield "base", base
    for component in app.components:
        yield from app.requests(component)


def _error_types(meaning: Any) -> set[str]:
    """The type of an error, or those that an expression chooses from."""
    type = str(meaning.get("type") or "")
    return set(re.findall(r"'([^']+)'", type)) if type.startswith("{{") else {type} - {""}


def _is_secret(value: str) -> bool:
    return bool(re.search(r"\{\{(connection|parameters)\.(apiKey|hostToken)", value))


RULES = (
    bodies_are_there,
    queries_are_objects,
    statuses_are_exact,
    base_tells_errors_apart,
    writes_are_not_repeated,
    secrets_are_sanitized,
    connections_are_tested,
    parameters_exist,
    expressions_are_closed,
    webhooks_look_first,
    shared_uid_is_not_top,
    lists_are_limited,
    triggers_remember,
)
