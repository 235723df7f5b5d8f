"""The lint of a Make app: Make's own schemas where they are at hand, and our rules for what they do not catch."""

from __future__ import annotations

from collections.abc import Iterator

from connector.export.lint import make_forms, make_index, make_requests, make_review, vendor
from connector.export.lint.make_app import MakeApp
from connector.export.lint.secrets import secrets
from connector.export.shape import Export, Finding

SCHEMAS = {
    "communication": "api.json",
    "attach": "api.json",
    "detach": "api.json",
    "update": "api.json",
    "epoch": "epoch.json",
    "params": "parameters.json",
    "staticParams": "parameters.json",
    "mappableParams": "parameters.json",
    "interface": "parameters.json",
    "samples": "samples.json",
    "scope": "scope.json",
    "requiredScope": "scope.json",
}
GENERAL = {"base": "base.json", "common": "common.json", "groups": "groups.json"}


def rules(export: Export) -> tuple[Finding, ...]:
    """What our own rules find."""
    app = MakeApp.read(export)
    if isinstance(app, Finding):
        return (app,)
    found: list[Finding] = []
    for room in (make_index, make_requests, make_forms, make_review):
        for rule in room.RULES:
            found += rule(app)
    return (*found, *secrets(export))


def lint(export: Export) -> tuple[Finding, ...]:
    """All that can be found without Make: our rules and, where they are at hand, its schemas."""
    app = MakeApp.read(export)
    if isinstance(app, Finding) or not vendor.present("make"):
        return rules(export)
    return (*rules(export), *_by_schema(app))


def _by_schema(app: MakeApp) -> Iterator[Finding]:
    yield from vendor.findings("make", "makecomapp.schema.json", app.index, "makecomapp.json")
    for code, path in app.general.items():
        if code in GENERAL and path in app.contents:
            yield from vendor.findings("make", GENERAL[code], app.contents[path], path)
    for component in app.components:
        for code, path in component.files.items():
            if code in SCHEMAS and path in app.contents:
                yield from vendor.findings("make", SCHEMAS[code], app.contents[path], path)
