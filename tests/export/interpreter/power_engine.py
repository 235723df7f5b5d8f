"""Carries out the operations of an exported Power Automate connector: parameters, dropdowns, policies, script table.

What the script does with its table is done here in the same words, so that the table, which is generated, is shown to
be right; `test_power_automate_script.py` holds the script itself to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from zoneinfo import ZoneInfo

import httpx

from connector.core.values.json import encode
from connector.export.power_automate.lint.references import TABLE
from connector.export.shape import Export
from tests.export.interpreter.exchange import Sent
from tests.export.interpreter.power_form import object_of
from tests.export.interpreter.refusal import NotUnderstood, only

PARAMETER = (
    "name",
    "in",
    "required",
    "type",
    "format",
    "pattern",
    "default",
    "enum",
    "maxLength",
    "minimum",
    "maximum",
    "schema",
    "description",
    "x-ms-summary",
    "x-ms-visibility",
    "x-ms-url-encoding",
    "x-ms-enum-values",
    "x-ms-dynamic-values",
    "x-ms-dynamic-list",
)
ROUTE = [
    "virtual",
    "path",
    "collection",
    "value",
    "label",
    "hint",
    "between",
    "wrap",
    "distinct",
    "cursor",
    "flags",
    "retry_after",
    "from",
    "wait",
    "skip",
    "options",
    "once",
]


@dataclass(frozen=True)
class Polled:
    """One answer of a polling trigger."""

    status: int
    items: list[dict[str, Any]]
    location: str


class PowerEngine:
    """One connector with one stored credential."""

    def __init__(self, export: Export, credential: Mapping[str, str]) -> None:
        self.definition = json.loads(export.files["apiDefinition.swagger.json"])
        self.properties = json.loads(export.files["apiProperties.json"])["properties"]
        self.credential = dict(credential)
        found = TABLE.search(export.files.get("script.csx", b"").decode())
        self.routes: dict[str, dict[str, Any]] = json.loads(found["table"].replace('""', '"')) if found else {}
        self.operations = {
            operation["operationId"]: (path, method, operation)
            for path, item in self.definition["paths"].items()
            for method, operation in item.items()
            if method != "x-ms-notification-content"
        }

    def parameters(self, id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.operations[id][2]["parameters"]
        return found

    def request(self, id: str, given: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> Sent:
        """The request of an operation. `given`: parameters by name; `body`: properties by name."""
        return self._routed(id, self.filled_in(id, given, body))

    def filled_in(self, id: str, given: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> Sent:
        """The request as the platform hands it to the script."""
        path, method, _ = self.operations[id]
        query: dict[str, str] = {}
        headers = self._headers()
        content: bytes | None = None
        known = {parameter["name"] for parameter in self.parameters(id)}
        if set(given) - known or (body and "body" not in known):
            raise NotUnderstood(f"{id} takes no {set(given) - known or 'body'}")
        for parameter in self.parameters(id):
            only(parameter, PARAMETER, f"{id} {parameter['name']}")
            if parameter["in"] == "body":
                filled = object_of(parameter["schema"], body or {}, id)
                content = encode(filled) if filled or parameter["required"] else None
                continue
            value = given.get(parameter["name"], parameter.get("default"))
            if value is None:
                if parameter["required"]:
                    raise NotUnderstood(f"{id} insists on {parameter['name']}")
                continue
            text = _text(value)
            if "pattern" in parameter and not re.search(parameter["pattern"], text):
                raise NotUnderstood(f"{id} refuses {parameter['name']} {text}")
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(text, safe=""))
            elif parameter["in"] == "header":
                headers[parameter["name"].lower()] = text
            else:
                query[parameter["name"]] = text
        if content is not None:
            headers["content-type"] = "application/json"
        return Sent(method.upper(), self._address(path, query), headers, content)

    def options(self, id: str, name: str, form: Mapping[str, Any]) -> tuple[Sent | None, list[dict[str, str]]]:
        """The dropdown of a field by both of its forms, which have to agree. `form`: by parameter or `body/…`."""
        field = self._field(id, name)
        old, new = field["x-ms-dynamic-values"], field["x-ms-dynamic-list"]
        given = {key: _passed(source, "parameter", form) for key, source in old.get("parameters", {}).items()}
        again = {key: _passed(source, "parameterReference", form) for key, source in new.get("parameters", {}).items()}
        if given != again:
            raise NotUnderstood(f"the two forms of {id} {name} ask differently: {given} {again}")
        target = old["operationId"]
        sent, rows = self.listed(target, {key: value for key, value in given.items() if value is not None})
        return sent, [{"value": str(row[old["value-path"]]), "label": str(row[old["value-title"]])} for row in rows]

    def listed(self, target: str, asked: Mapping[str, Any]) -> tuple[Sent | None, list[dict[str, Any]]]:
        """What the script answers to an operation that fills a dropdown."""
        if "options" in self.routes.get(target, {}):
            return None, list(_local(self.routes[target]["options"]))
        sent = self.request(target, asked)
        answer = sent.send()
        assert answer.status_code == 200, answer.text
        body = json.loads(answer.content, parse_float=Decimal)
        return sent, _options(_at(body, self.routes[target]["collection"]), self.routes[target])

    def answer(self, id: str, given: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> httpx.Response:
        """The answer to an operation as the script hands it on."""
        answer = self.request(id, given, body).send()
        route = self.routes.get(id, {})
        if "once" not in route or (answer.status_code not in (408, 429) and answer.status_code < 500):
            return answer
        told = {"status": answer.status_code, "message": route["once"], "answer": answer.text}
        return httpx.Response(424, json=told)

    def poll(self, id: str, given: Mapping[str, Any], location: str | None = None) -> Polled:
        """One poll: the first by the form, later ones by the address that the answer before named."""
        if not self.routes:
            sent = self.request(id, given) if location is None else Sent("GET", location, self._headers())
            answer = sent.send()
            assert answer.status_code in (200, 202), answer.text
            items = json.loads(answer.content, parse_float=Decimal)["items"] if answer.status_code == 200 else []
            return Polled(answer.status_code, items, answer.headers["location"])
        return self._poll_by_script(id, given, location)

    def _poll_by_script(self, id: str, given: Mapping[str, Any], location: str | None) -> Polled:
        route = self.routes[id]
        only(route, ROUTE, id)
        asked = dict(given)
        cursor = dict(parse_qsl(urlsplit(location).query, keep_blank_values=True))["cursor"] if location else None
        flags = {flag: _text(asked.pop(flag, False)) == "true" for flag in route["flags"]}
        sent = self.poll_request(id, asked, cursor)
        body = json.loads(sent.send().content, parse_float=Decimal)
        rows = sorted(_at(body, route["collection"]), key=lambda row: _order(_plain(row, route["cursor"])))
        top, items = cursor, []
        for row in rows:
            place = _plain(row, route["cursor"])
            if cursor is not None and _order(place) <= _order(cursor):
                continue
            if _meets(row, route.get("wait"), flags):
                break
            top = place
            if cursor is not None and not _meets(row, route.get("skip"), flags):
                items.append({**row, "_id": row["id"]})
        return Polled(200 if items else 202, items, f"{route['virtual']}?{urlencode({'cursor': top})}")

    def poll_request(self, id: str, given: Mapping[str, Any], cursor: str | None) -> Sent:
        """What the script sends to the service for a poll."""
        route = self.routes[id]
        sent = self.request(id, given)
        flags = {*route["flags"], "cursor"}
        query = [pair for pair in parse_qsl(urlsplit(sent.url).query) if pair[0] not in flags]
        if cursor is not None and "from" in route:
            query.append((route["from"], cursor))
        address = sent.url.partition("?")[0]
        return Sent(sent.method, f"{address}?{urlencode(query)}" if query else address, sent.headers)

    def _headers(self) -> dict[str, str]:
        scheme = self.definition["securityDefinitions"]["api_key"]
        headers = {scheme["name"]: self.credential["api_key"], "accept": "application/json"}
        for policy in self.properties["policyTemplateInstances"]:
            if policy["templateId"] == "setheader":
                value = policy["parameters"]["x-ms-apimTemplateParameter.value"]
                filled = re.sub(r"@connectionParameters\('([^']+)'\)", lambda name: self.credential[name[1]], value)
                headers[policy["parameters"]["x-ms-apimTemplateParameter.name"].lower()] = filled
            elif policy["templateId"] != "routerequesttoendpoint":
                raise NotUnderstood(policy["templateId"])
        return headers

    def _address(self, path: str, query: Mapping[str, str]) -> str:
        base = f"{self.definition['schemes'][0]}://{self.definition['host']}{self.definition['basePath'].rstrip('/')}"
        return f"{base}{path}" + (f"?{urlencode(query, quote_via=quote)}" if query else "")

    def _routed(self, id: str, sent: Sent) -> Sent:
        """Where a request goes in the end: the script's table here, a policy there."""
        for policy in self.properties["policyTemplateInstances"]:
            if id in policy["parameters"].get("x-ms-apimTemplate-operationName", ()):
                return Sent(
                    sent.method,
                    self._address(policy["parameters"]["x-ms-apimTemplateParameter.newPath"], {}),
                    sent.headers,
                    sent.content,
                )
        route = self.routes.get(id)
        if route is None or "once" in route:
            return sent
        only(route, ROUTE, id)
        path, query = route["path"], dict(parse_qsl(urlsplit(sent.url).query))
        for name in [name for name in query if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", quote(query.pop(name), safe=""))
        return Sent(sent.method, self._address(path, query), sent.headers, sent.content)

    def _field(self, id: str, name: str) -> dict[str, Any]:
        if not name.startswith("body/"):
            return next(parameter for parameter in self.parameters(id) if parameter["name"] == name)
        here: Any = next(parameter["schema"] for parameter in self.parameters(id) if parameter["in"] == "body")
        for part in name.split("/")[1:]:
            here = here["properties"][part]
        found: dict[str, Any] = here
        return found


def read(answer: httpx.Response) -> Any:
    return json.loads(answer.content, parse_float=Decimal)


def _passed(source: Any, reference: str, form: Mapping[str, Any]) -> Any:
    if isinstance(source, Mapping):
        if "value" in source:
            return source["value"]
        place = source[reference]
        return form.get(place, form.get(f"body/{place}"))
    return source


def _at(body: Any, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body[path] if path else body
    return found


def _options(rows: list[Any], route: Mapping[str, Any]) -> list[dict[str, str]]:
    """What the script makes of an answer's rows."""
    made: list[dict[str, str]] = []
    for found in rows:
        row = {route["wrap"]: found} if isinstance(found, str) and "wrap" in route else found
        value = _first(row, route["value"])
        if value and not ("distinct" in route and value in {one["value"] for one in made}):
            label, hint = _joined_texts(row, route["label"]), _joined_texts(row, route.get("hint", []))
            made.append({"value": value, "label": (label or value) + (route["between"] + hint if hint else "")})
    return made


def _joined_texts(row: Any, templates: list[list[Any]]) -> str:
    return ", ".join(text for parts in templates if (text := _written(row, parts, vanishes=False)))


def _written(row: Any, parts: list[Any], *, vanishes: bool) -> str:
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        elif "section" in part:
            text += _written(row, part["section"], vanishes=True)
        else:
            value = _value(row, part)
            if vanishes and not value:
                return ""
            text += value
    return text


def _value(row: Any, part: Mapping[str, Any]) -> str:
    only(part, ("first", "last", "day", "words", "comma", "with"), "a part of a template")
    text = _first(row, part["first"])
    if "last" in part:
        return text[-part["last"] :]
    if "day" in part:
        if "T" in text:
            text = datetime.fromisoformat(text).astimezone(ZoneInfo("Europe/Berlin")).date().isoformat()
        day = text[:10].split("-")
        return ".".join(reversed(day)) if part["day"] == "de" and len(day) == 3 else "-".join(day)
    if "words" in part:
        return str(part["words"].get(text, text))
    if part.get("comma"):
        text = text.replace(".", ",")
    return f"{text} {_plain(row, part['with'])}".rstrip() if text and "with" in part else text


def _first(row: Any, paths: list[str]) -> str:
    return next((text for path in paths if (text := _plain(row, path))), "")


def _plain(row: Any, path: str) -> str:
    for name in path.split("."):
        row = row.get(name) if isinstance(row, Mapping) else None
    return "" if row is None or isinstance(row, Mapping | list) else _text(row)


def _meets(row: Any, condition: Mapping[str, Any] | None, flags: Mapping[str, bool]) -> bool:
    if condition is None or flags.get(condition.get("unless", "")):
        return False
    return any(
        all((text := _plain(row, path)) and (text in allowed or "*" in allowed) for path, allowed in choice.items())
        for choice in condition["when"]
    )


def _local(options: list[dict[str, Any]]) -> list[dict[str, str]]:
    year = datetime.now(UTC).year
    return [{name: _joined(option[name], year) for name in ("value", "label")} for option in options]


def _joined(parts: list[str | int], year: int) -> str:
    return "".join(part if isinstance(part, str) else f"{year + part:04d}" for part in parts)


def _order(place: str) -> tuple[int, str]:
    return (len(place) if place.isdigit() else 0, place)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
