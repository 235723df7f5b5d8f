"""Rules about operations: their ids and words, their one success, their parameters, and what is in a path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from connector.export.power_automate.lint.connector import PowerConnector
from connector.export.shape import Finding

PASCAL = re.compile(r"[A-Z][A-Za-z0-9]*")
LONGEST_SUMMARY = 80
IN_PATH = re.compile(r"\{([^}]+)\}")
VISIBILITIES = frozenset({"important", "advanced", "internal"})
ENCODINGS = frozenset({"single", "double"})
SHOUTING = re.compile(r"\b[A-ZÄÖÜ]{5,}\b")


def ids_are_there(connector: PowerConnector) -> Iterator[Finding]:
    """Every operation has an id, in PascalCase, of its own."""
    ids = Counter(str(one.tree.get("operationId")) for one in connector.operations if one.tree.get("operationId"))
    for operation in connector.operations:
        id = operation.tree.get("operationId")
        if not id:
            yield Finding(operation.where, "has no operationId")
        elif not PASCAL.fullmatch(str(id)):
            yield Finding(operation.where, "operationId is not in PascalCase")
    for id, count in ids.items():
        if count > 1:
            yield Finding(id, f"operationId stands {count} times")


def summaries_read_well(connector: PowerConnector) -> Iterator[Finding]:
    """A summary of at most 80 characters in sentence case without a full stop."""
    for operation in connector.operations:
        text = str(operation.tree.get("summary") or "")
        if not text:
            yield Finding(operation.where, "has no summary")
        elif len(text) > LONGEST_SUMMARY:
            yield Finding(operation.where, f"the summary has {len(text)} characters, at most 80 are shown")
        elif text[0] != text[0].upper() or text.endswith(".") or SHOUTING.search(text) or _title_case(text):
            yield Finding(operation.where, f"the summary is not in sentence case: {text!r}")


def descriptions_say_more(connector: PowerConnector) -> Iterator[Finding]:
    """A description that is not the summary once more."""
    for operation in connector.operations:
        text = str(operation.tree.get("description") or "")
        if not text:
            yield Finding(operation.where, "has no description")
        elif text.strip(" .").lower() == str(operation.tree.get("summary") or "").strip(" .").lower():
            yield Finding(operation.where, "the description repeats the summary")


def there_is_one_success(connector: PowerConnector) -> Iterator[Finding]:
    """Exactly one success, with a schema that says something."""
    for operation in connector.operations:
        successes = operation.successes
        if len(successes) != 1:
            yield Finding(operation.where, f"has {len(successes)} successes instead of one")
        for code, response in successes.items():
            if "schema" not in response:
                yield Finding(operation.where, f"the response {code} has no schema")
            elif not response["schema"]:
                yield Finding(operation.where, f"the schema of the response {code} is empty")
        for code, response in operation.tree.get("responses", {}).items():
            if not response.get("description"):
                yield Finding(operation.where, f"the response {code} has no description")


def reads_have_no_body(connector: PowerConnector) -> Iterator[Finding]:
    """GET and HEAD carry no body, and nothing carries two."""
    for operation in connector.operations:
        bodies = [one for one in operation.parameters if one.get("in") == "body"]
        if bodies and operation.method in ("get", "head"):
            yield Finding(operation.where, f"{operation.method} carries a body")
        if len(bodies) > 1:
            yield Finding(operation.where, "carries two bodies")


def parameters_are_described(connector: PowerConnector) -> Iterator[Finding]:
    """Every parameter has a summary and a description that says more."""
    for operation in connector.operations:
        for parameter in operation.parameters:
            name = parameter.get("name")
            summary, description = str(parameter.get("x-ms-summary") or ""), str(parameter.get("description") or "")
            if not summary:
                yield Finding(operation.where, f"the parameter {name} has no x-ms-summary")
            elif len(summary) > LONGEST_SUMMARY:
                yield Finding(operation.where, f"the summary of the parameter {name} is too long")
            if not description:
                yield Finding(operation.where, f"the parameter {name} has no description")
            elif description == summary:
                yield Finding(operation.where, f"the description of the parameter {name} repeats its summary")


def names_are_free(connector: PowerConnector) -> Iterator[Finding]:
    """No parameter is called connectionId, which the platform uses itself, and none stands twice."""
    for operation in connector.operations:
        pairs = Counter((one.get("name"), one.get("in")) for one in operation.parameters)
        for (name, place), count in pairs.items():
            if name == "connectionId":
                yield Finding(operation.where, "a parameter is called connectionId, which the platform uses itself")
            if count > 1:
                yield Finding(operation.where, f"the parameter {name} in {place} stands {count} times")


def paths_are_filled(connector: PowerConnector) -> Iterator[Finding]:
    """What a path leaves open is a required parameter that says how it is encoded, and the other way round."""
    for operation in connector.operations:
        open_parts = set(IN_PATH.findall(operation.path))
        given = {str(one.get("name")): one for one in operation.parameters if one.get("in") == "path"}
        for name in sorted(open_parts - set(given)):
            yield Finding(operation.where, f"the path's {name} is no parameter")
        for name, parameter in given.items():
            if name not in open_parts:
                yield Finding(operation.where, f"the parameter {name} is not in the path")
            if parameter.get("required") is not True:
                yield Finding(operation.where, f"the path's {name} is not required")
            if parameter.get("x-ms-url-encoding") not in ENCODINGS:
                yield Finding(operation.where, f"the path's {name} has no x-ms-url-encoding")


def hidden_ones_have_defaults(connector: PowerConnector) -> Iterator[Finding]:
    """Whatever is hidden and required has a default; visibilities are known ones."""
    for operation in connector.operations:
        for parameter in operation.parameters:
            name, shown = parameter.get("name"), parameter.get("x-ms-visibility")
            if shown is not None and shown not in VISIBILITIES:
                yield Finding(operation.where, f"the parameter {name} has the unknown visibility {shown}")
            if shown == "internal" and parameter.get("required") and "default" not in parameter:
                yield Finding(operation.where, f"the parameter {name} is hidden and required without a default")


def paths_differ(connector: PowerConnector) -> Iterator[Finding]:
    """Two paths that differ only in a parameter's name are one."""
    seen: dict[str, str] = {}
    for path in connector.definition.get("paths", {}):
        plain = IN_PATH.sub("{}", path)
        if plain in seen:
            yield Finding(path, f"is the same path as {seen[plain]}")
        seen[plain] = path


def _title_case(text: str) -> bool:
    """Whether every word of a longer English phrase begins with a capital."""
    words = [word for word in text.split() if word.isalpha()]
    return len(words) > 2 and text.isascii() and all(word[0].isupper() for word in words)


RULES = (
    ids_are_there,
    summaries_read_well,
    descriptions_say_more,
    there_is_one_success,
    reads_have_no_body,
    parameters_are_described,
    names_are_free,
    paths_are_filled,
    hidden_ones_have_defaults,
    paths_differ,
)
