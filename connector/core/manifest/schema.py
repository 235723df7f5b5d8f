"""The form of a manifest as JSON Schema (draft 2020-12); `docs/vocabulary.md` says what it means.

Imported only when manifests are compiled or checked.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def one(required: Schema, optional: Schema | None = None, about: str = "", **more: Any) -> Schema:
    """An object with these properties and no others."""
    schema: Schema = {"type": "object", "properties": {**required, **(optional or {})}, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return {**({"description": about} if about else {}), **schema, **more}


def many(item: Schema, least: int = 1, **more: Any) -> Schema:
    """A list of these."""
    return {"type": "array", "minItems": least, "items": item, **more}


def by_name(item: Schema, **more: Any) -> Schema:
    """A mapping of names to these."""
    return {"type": "object", "propertyNames": NAME, "additionalProperties": item, **more}


def ref(name: str) -> Schema:
    """A definition of this schema."""
    return {"$ref": f"#/$defs/{name}"}


def choice(*values: Any) -> Schema:
    """One of these values."""
    return {"enum": list(values)}


STRING: Schema = {"type": "string", "minLength": 1}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NAME: Schema = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
VALUE: Schema = {"type": ["string", "boolean", "number"]}
TEXT: Schema = one({"en": STRING, "de": STRING}, about="One sentence in both languages.")
PATH: Schema = {
    "description": "Names joined by dots; [] behind a name means each item of that list.",
    "type": "string",
    "pattern": r"^@?[A-Za-z_][A-Za-z0-9_]*(\[\])?(\.[A-Za-z_][A-Za-z0-9_]*(\[\])?)*$",
}
PATHS: Schema = {"anyOf": [PATH, many(PATH)]}
TEMPLATE: Schema = {
    "description": "Text with {placeholders} and [sections], or a list of these.",
    "anyOf": [STRING, many(STRING)],
}
_MET: Schema = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": PATH,
    "additionalProperties": {"anyOf": [VALUE, many(VALUE)]},
}
WHEN: Schema = {"description": 'Paths with a value, a list of values, or "*" for any.', "anyOf": [_MET, many(_MET)]}
NAMES: Schema = many(NAME)
DATES: Schema = {"came": NAME, "made": NAME}
WINDOW: Schema = one({"came": NAME, "since": NAME})

TYPES = ["string", "number", "money", "integer", "boolean", "date", "date-time", "enum", "object", "list", "file"]
ROLES = (
    "account_list",
    "bank_connect",
    "bank_connection",
    "bank_connection_options",
    "ledger_connection_list",
    "open_items",
    "payment",
    "payment_list",
    "permission_probe",
    "transaction_list",
    "trial_balance",
    "webhook_url_get",
    "webhook_url_set",
)

RULES: dict[str, Schema] = {
    "any_of": NAMES,
    "requires": one({"field": NAME, "needs": by_name(VALUE, minProperties=1)}),
    "order": many(NAME, 2, maxItems=2),
    "first_of_month": NAME,
    "sum": one({"of": PATH, "equals": NAME}, {"derive": FLAG, "currency": NAME}),
    "not_zero": PATH,
    "range": one({"field": NAME}, dict.fromkeys(("above", "least", "below", "most"), NUMBER), minProperties=2),
    "equals": one({"field": NAME, "value": VALUE}),
    "charset": one(
        {"fields": NAMES},
        {"ranges": many({"type": "string", "pattern": "^[0-9A-F]{4,6}-[0-9A-F]{4,6}$"}), "signs": STRING},
        minProperties=2,
    ),
    "pattern": one({"field": PATH}, {"match": STRING, "not": STRING}, minProperties=2, maxProperties=2),
    "digits": one({"field": NAME, "length": NAME}, {"longer": COUNT}),
    "at_most_one": one({"each": NAME, "where": NAME}),
    "file": one({"each": NAME, "content": NAME, "name": NAME, "kinds": NAMES, "most_mb": {"type": "integer"}}),
}
RULE: Schema = one(
    {},
    {**RULES, "words": by_name(TEXT), "warn": FLAG},
    "One rule, with its own words by reason where it has some; warn makes it a warning.",
    oneOf=[{"required": [name]} for name in RULES],
)

SHAPE: Schema = one(
    {},
    {
        "first_of": NAMES,
        "as": NAME,
        "else_answer": FLAG,
        "entries": one({"as": NAME, "named": NAMES, "having": NAME}),
        "wrap": NAME,
        "keep": NAMES,
        "pick": one({"input": NAME, "by": NAME}, {"with": NAMES}),
    },
    "What becomes of an answer that is not simply the list or the object.",
    minProperties=1,
    dependentRequired={"first_of": ["as"], "as": ["first_of"]},
)
OPTIONS: Schema = one(
    {"value": STRING, "label": TEMPLATE},
    {
        "hint": TEMPLATE,
        "wrap": NAME,
        "distinct": FLAG,
        "sort": many({"anyOf": [PATH, one({"first": WHEN})]}),
        "table": {"anyOf": [choice("currencies"), many({"type": "object"})]},
        "years": one({"from": {"type": "integer"}, "to": {"type": "integer"}}),
    },
    "How the rows of an answer, of a table or of years become options.",
)
ALARM: Schema = one(
    {"id": TEMPLATE},
    {
        "below": one({"of": many(PATH), "input": NAME, "as": NAME}),
        "within": one({"date": PATH, "input": NAME, "as": NAME}),
        "when": WHEN,
        "clear": WHEN,
        "key": TEMPLATE,
        "each": one({"input": NAME, "from": ref("id"), "as": NAME, "how": NAME}),
    },
    oneOf=[{"required": ["below", "key"]}, {"required": ["within"]}, {"required": ["when", "clear", "key"]}],
)
STRATEGIES: dict[str, Schema] = {
    "by_id": one(
        {"after": NAME},
        {
            "wait": one({"when": WHEN, "days": COUNT, **DATES}, {"unless": NAME}),
            "skip": one({"when": WHEN}, {"unless": NAME}),
            "late": one({"as": NAME, "days": COUNT, **DATES}),
            "look_back": one({"days": COUNT, "since": NAME}),
            "window": WINDOW,
        },
    ),
    "progress": one({"after": NAME, "field": NAME, "states": NAME, "previous": NAME}, {"only": NAME, "window": WINDOW}),
    "watch": one(
        {
            "after": NAME,
            "since": NAME,
            "days": NAME,
            **DATES,
            "longer": one({"when": WHEN, "days": COUNT}),
            "change": NAME,
            "fields": by_name(
                {
                    "anyOf": [
                        one({"short": by_name({"type": "string"})}, {"tell": by_name(STRING)}),
                        one({"mark": {"type": "string", "minLength": 1, "maxLength": 1}}),
                    ]
                },
                minProperties=2,
                maxProperties=2,
            ),
        }
    ),
    "seen": one({"order": PATH}),
    "alarm": ALARM,
    "code": {"const": True},
}
POLL: Schema = one(
    {},
    {**STRATEGIES, "shared": one({"group": NAME, "part": NAME, "since": NAME})},
    "One strategy; shared where flows on one group share a paid list.",
    oneOf=[{"required": [name]} for name in STRATEGIES],
)
FILTER: Schema = {
    "anyOf": [
        *PATHS["anyOf"],
        one({"at": PATHS}, {"compact": FLAG}),
        one({"names_of": PATH}),
        one({"values_of": PATH}, {"named": NAME}),
    ]
}
EVENT: Schema = one(
    {"names": many(STRING, 0)},
    {"when": WHEN, "confirm": {"const": "payment"}, "filters": by_name(FILTER)},
    "The service's events that start it, what their data must say, and where filters are compared.",
)

COST: Schema = one(
    {"credits": COUNT},
    {"dropdown": COUNT, "settles_later": FLAG, "assumed": FLAG, "note": TEXT},
    "Credits: for the call, when it only fills a dropdown, whether charged at settlement, whether only assumed.",
)
DURATION: Schema = one(
    {name: {"type": "number", "exclusiveMinimum": 0} for name in ("typical", "timeout")},
    about="Seconds: what people should expect, and when to give up on one answer.",
)
API_PATH: Schema = {"type": "string", "pattern": "^/v2/"}
REQUEST: Schema = one(
    {"method": choice("GET", "POST", "PUT", "PATCH", "DELETE")},
    {
        "path": API_PATH,
        "paths": one({"by": NAME, "choose": by_name(API_PATH)}, about="Where one input decides the path."),
        "query": {"type": "object", "additionalProperties": {"type": "string"}},
        "quelle": {**FLAG, "description": "False where the service takes no label of the calling source."},
        "answer": one({"in": NAME}, {"assumed": FLAG}, "How the answer is wrapped: under a key, or `body`."),
    },
    oneOf=[{"required": ["path"]}, {"required": ["paths"]}],
)
FIELD: Schema = one(
    {
        "name": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]{0,63}$"},
        "type": choice(*TYPES),
        "label": TEXT,
        "help": TEXT,
    },
    {
        "format": NAME,
        "presence": choice("required", "optional", "advanced"),
        "default": {},
        "example": {},
        "values": many(one({"value": {"type": "string"}, "label": TEXT})),
        "open": FLAG,
        "fields": many(ref("field")),
        "aliases": many(STRING),
        "min": NUMBER,
        "max": NUMBER,
        "max_length": {"type": "integer", "minimum": 1},
        "currency_field": NAME,
        "lookup": one({"id": ref("id")}, {"with": by_name({"type": ["string", "boolean"]})}),
        "in": choice("path", "query", "body", "whole_body", "beside_query", "beside_body", "none"),
        "as": STRING,
        "wire": STRING,
        "internal": FLAG,
    },
    allOf=[
        {"if": {"properties": {"type": {"const": "enum"}}}, "then": {"required": ["values"]}},
        {"if": {"properties": {"type": {"const": "list"}}}, "then": {"required": ["fields"]}},
    ],
)
OUTPUT: Schema = one(
    {"resource": {"description": "Of manifests/resources; FreeForm for none.", "type": "string"}, "list": FLAG},
    {
        "shape": SHAPE,
        "view": choice("table", "open_items", "trial_balance", "balance_over_time"),
        "columns": many(STRING, 0),
        "table": one(
            {"rows": {"description": "Lists inside lists: a[].b[].", "type": "string"}, "columns": many(STRING)},
            {"group": many(STRING)},
            "The rows of an output that is no list; a column that a row lacks is taken from what holds the row.",
        ),
    },
)
ABOUT: Schema = {
    "id": ref("id"),
    "area": choice("ledger", "banking", "mobility", "any"),
    "title": TEXT,
    "description": TEXT,
    "cost": COST,
    "inputs": many(ref("field"), 0),
}
SHOWN: Schema = {
    "aliases": {
        **many(STRING, uniqueItems=True),
        "description": "Further words that people search for, in any language.",
    },
    "noun": {**TEXT, "description": "What it is about, as a platform groups its operations."},
    "summary": {
        **TEXT,
        "description": "What it does in one short sentence; without it, the first sentence of the description.",
    },
}
TOLD: Schema = {
    "errors": many(one({"kind": STRING, "when": TEXT})),
    "messages": by_name(TEXT),
    "deprecated": one({"since": STRING}, {"use": ref("id")}),
}

KINDS: dict[str, Schema] = {
    "action": one(
        {
            "kind": {"const": "action"},
            **ABOUT,
            "effect": choice("read", "create", "update"),
            "repeat": choice("harmless", "same_result", "duplicates"),
            "duration": DURATION,
            "output": OUTPUT,
            "sample": {"type": ["object", "array"]},
        },
        {
            **SHOWN,
            "role": choice(*ROLES),
            "moves": choice("money", "webhook_url"),
            "money": one({"amount": NAME, "currency": NAME, "payee": NAME}, {"payee_name": NAME, "account": NAME}),
            "code": {"const": True},
            "request": REQUEST,
            "rules": many(RULE),
            "read_back": one(
                {"action": ref("id"), "key_field": NAME, "key_name": NAME, "digest_name": NAME},
                {"one": ref("id"), "made": NAME, "since": NAME, "most": NAME},
            ),
            "refreshes": many(ref("id")),
            **TOLD,
        },
    ),
    "lookup": one(
        {
            "kind": {"const": "lookup"},
            **ABOUT,
            "options": OPTIONS,
            "ttl": {"type": "integer", "minimum": 1},
            "sample": {"type": "array", "minItems": 1},
        },
        {"role": choice(*ROLES), "request": REQUEST},
    ),
    "trigger": one(
        {
            "kind": {"const": "trigger"},
            **ABOUT,
            "source": choice("poll", "event"),
            "output": OUTPUT,
            "sample": {"type": "array", "minItems": 1},
        },
        {
            **SHOWN,
            "duration": DURATION,
            "interval": one({"usual": COUNT, "least": COUNT}, about="Seconds between polls."),
            "request": REQUEST,
            "rules": many(RULE),
            "poll": POLL,
            "event": EVENT,
            **TOLD,
        },
        "",
        **{
            "if": {"properties": {"source": {"const": "poll"}}},
            "then": {"required": ["interval", "poll"], "not": {"required": ["event"]}},
            "else": {
                "required": ["event"],
                "not": {"anyOf": [{"required": [name]} for name in ("poll", "request", "interval")]},
            },
        },
    ),
}

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://kontor.invalid/manifest.schema.json",
    "title": "Kontor manifest",
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": choice(*KINDS)},
    "allOf": [{"if": {"properties": {"kind": {"const": kind}}}, "then": ref(kind)} for kind in KINDS],
    "$defs": {"id": {"type": "string", "pattern": "^[a-z][a-z0-9_]{2,47}$"}, "field": FIELD, **KINDS},
}
