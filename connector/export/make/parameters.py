"""Turns a manifest's inputs into Make's form parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from connector.core.data.fields import Field, LookupUse
from connector.core.messages import Text, say
from connector.export.make.iml import dependency, whole
from connector.export.make.names import rpc_id

Parameter = dict[str, Any]
BANNER = "warning"
"""The name of what is only read."""
DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TYPES = {
    "string": "text",
    "number": "number",
    "money": "number",
    "integer": "integer",
    "boolean": "boolean",
    "date": "text",  # a date has no zone, and Make's own date type does
    "date-time": "date",
    "enum": "select",
    "object": "collection",
    "list": "array",
    "file": "text",
}


def parameters(fields: Iterable[Field], lang: str, scope: str = "") -> list[Parameter]:
    """The form of these fields. A field whose options depend on a required one is nested below it, as Make wants."""
    shown = [field for field in fields if not field.internal]
    nested: dict[str, list[Field]] = {}
    for field in shown:
        parent = _parent(field, shown)
        if parent is not None:
            nested.setdefault(parent, []).append(field)
    below = {field.name for fields in nested.values() for field in fields}
    return [_nesting(field, nested, lang, scope) for field in shown if field.name not in below]


def plain(fields: Iterable[Field], lang: str, scope: str) -> list[Parameter]:
    """The parameters of an RPC: texts only, since nobody fills them in by hand."""
    return [{"name": f"{scope}{field.name}", "type": "text", "label": field.label.in_(lang)} for field in fields]


def banner(text: Text, lang: str) -> Parameter:
    """A warning above the form that nobody can close."""
    label = say("export_warning").in_(lang)
    told = text.in_(lang)
    shown = {"title": label, "text": told, "theme": "warning", "closable": False}
    return {"name": BANNER, "type": "banner", "label": label, "help": told, **shown}


def _nesting(field: Field, nested: Mapping[str, list[Field]], lang: str, scope: str) -> Parameter:
    made = _parameter(field, lang, scope)
    inner = nested.get(field.name)
    if inner:
        made["options"] = {"store": made["options"], "nested": [_nesting(one, nested, lang, scope) for one in inner]}
    return made


def _parent(field: Field, fields: list[Field]) -> str | None:
    sources = field.lookup.with_.values() if field.lookup else ()
    names = {source[1:] for source in sources if isinstance(source, str) and source.startswith("$")}
    fit = (one for one in fields if one.name in names and one.required and one.lookup is not None)
    return next((one.name for one in fit), None)


def _parameter(field: Field, lang: str, scope: str = "") -> Parameter:
    made: Parameter = {
        "name": f"{scope}{field.name}",
        "type": "select" if field.lookup or field.values else TYPES[field.type],
        "label": field.label.in_(lang),
        "help": _help(field, lang),
    }
    if field.required:
        made["required"] = True
    if field.presence == "advanced":
        made["advanced"] = True
    if field.default is not None:
        made["default"] = field.default
    if field.lookup:
        made["options"] = _rpc(field.lookup)
        made["editable"] = True
    elif field.values:
        made["options"] = [{"label": choice.label.in_(lang), "value": choice.value} for choice in field.values]
        if field.open:
            made["editable"] = True
    elif field.type == "list":
        made["spec"] = [_parameter(one, lang) for one in field.fields]
    elif field.type == "object":
        if field.fields:
            made["spec"] = [_parameter(one, lang) for one in field.fields]
        else:
            made |= {"type": "array", "spec": pairs(lang)}
    rules = _rules(field, made["type"])
    if rules:
        made["validate"] = rules
    return made


def pairs(lang: str) -> list[Parameter]:
    """The rows of names and values that stand for a free-form object."""
    return [
        {"name": "key", "type": "text", "label": say("make_name").in_(lang), "required": True},
        {"name": "value", "type": "text", "label": say("export_value").in_(lang)},
    ]


LIMIT = "limit"


def limit(lang: str) -> Parameter:
    """How many items a run may return."""
    return {
        "name": LIMIT,
        "type": "uinteger",
        "label": say("make_limit").in_(lang),
        "help": say("make_limit_help").in_(lang),
        "default": 10,
        "required": True,
    }


def _help(field: Field, lang: str) -> str:
    text = " ".join(field.help.in_(lang).split())
    more = {"date": say("make_plain_date"), "file": say("make_base64")}.get(field.type)
    return f"{text} {more.in_(lang)}" if more else text


def _rules(field: Field, type: str) -> dict[str, Any]:
    rules: dict[str, Any] = {}
    if type in ("number", "integer"):
        rules = {name: bound for name, bound in (("min", field.min), ("max", field.max)) if bound is not None}
    elif type == "text":
        expected = DATE if field.type == "date" else _pattern(field)
        if expected:
            rules["pattern"] = expected
    elif field.type == "list" and field.presence == "required":
        rules["minItems"] = 1
    return rules


def _pattern(field: Field) -> str | None:
    """The field's pattern and its length at once: Make bounds a text's length only so."""
    expected, length = field.asked_pattern, f"[\\s\\S]{{1,{field.max_length}}}$"
    if not field.max_length:
        return expected
    return f"^(?={length})(?=[\\s\\S]*?(?:{expected}))" if expected else f"^{length}"


def _rpc(use: LookupUse) -> str:
    pairs = []
    for name, source in use.with_.items():
        if isinstance(source, str) and source.startswith("$"):
            given = whole(f"parameters.{source[1:]}")
        else:
            given = quote(str(source).lower() if isinstance(source, bool) else str(source))
        pairs.append(f"{dependency(name)}={given}")
    return f"rpc://{rpc_id(use.id)}" + (f"?{'&'.join(pairs)}" if pairs else "")
