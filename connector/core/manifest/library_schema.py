"""The form of the files that stand beside the manifests, and what resources refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from connector.core.manifest.formats import CHECKS, TIDY
from connector.core.manifest.schema import (
    COUNT,
    FLAG,
    NAME,
    NAMES,
    NUMBER,
    STRING,
    TEXT,
    Schema,
    by_name,
    choice,
    many,
    one,
)
from connector.core.messages import Text, say
from connector.core.resource_schema import PLAIN, FieldType

_TYPE: Schema = {"type": "string", "pattern": r"^[A-Za-z][A-Za-z0-9-]*\??$"}
_FIELD: Schema = {
    "anyOf": [
        _TYPE,
        many(_TYPE, maxItems=1),
        one({"type": _TYPE}, {"known": many(STRING), "words": NAME, "minimum": NUMBER, "maximum": NUMBER}),
    ]
}
_STATES: Schema = many({"anyOf": [STRING, many(STRING)]})
LIBRARY: Mapping[str, Schema] = {
    "resources": by_name(
        one({"about": STRING, "fields": by_name(_FIELD)}, {"required": NAMES, "labels": by_name(TEXT)})
    ),
    "labels": by_name(TEXT),
    "words": by_name(by_name(TEXT)),
    "states": by_name(
        one({"order": _STATES, "final": many(STRING)}, {"succeeded": many(STRING), "needs_person": many(STRING)})
    ),
    "events": by_name(
        one(
            {"about": NAME, "id": NAME, "data": NAME},
            {"gone": FLAG, "well": STRING, "news": FLAG, "states": many(STRING), "own": choice("asked", "ended")},
        )
    ),
    "formats": by_name(
        one({}, {"tidy": many(choice(*TIDY)), "pattern": STRING, "message": NAME, "check": choice(*CHECKS)})
    ),
    "provider": one(
        {
            "in": NAME,
            "status": NAME,
            **dict.fromkeys(("messages", "type", "text", "about"), NAMES),
            **dict.fromkeys(("failed", "usual"), many(STRING)),
        }
    ),
    "proofs": one(
        {
            "error": NAME,
            "code": NAME,
            "made": NAMES,
            "patterns": by_name(STRING),
            "rows": many(
                one(
                    {
                        "status": {"anyOf": [many(COUNT), STRING]},
                        "told": choice("not_sent", "refused"),
                        "proof": choice("described", "assumed"),
                        "sentence": STRING,
                    },
                    {"limiter": FLAG, "code": STRING, "says": NAMES},
                )
            ),
        }
    ),
    "file_kinds": by_name(
        one({"label": STRING, "begins": many(many(one({"at": COUNT, "hex": STRING}))), "endings": many(STRING)})
    ),
}


def unknown_types(resources: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[tuple[list[str | int], Text]]:
    """The fields whose type is neither a plain one nor a resource."""
    types = [*PLAIN, *known]
    for name, declared in resources.items():
        for field, one_type in declared["fields"].items():
            type = FieldType.of(one_type).name
            if type not in types:
                close = get_close_matches(type, types, n=1)
                allowed = ", ".join(PLAIN)
                meant = say("manifest_value_meant", value=type, close=close[0]) if close else None
                yield [name, "fields", field], meant or say("manifest_value_unknown", value=type, allowed=allowed)
