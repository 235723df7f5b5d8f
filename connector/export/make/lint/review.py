"""Rules that Make's reviewers apply: labels, the universal module, limits that a person can set, help texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from connector.export.make.lint.app import MakeApp
from connector.export.shape import Finding

TYPES = frozenset({"trigger", "action", "search", "instant_trigger", "responder", "universal"})
WATCH = ("Watch ", "Beobachten: ")
SINGLE = re.compile(r"(Create|Get|Update|Delete) (?!an? |the |or )")
LONGEST = 60


def labels_read_well(app: MakeApp) -> Iterator[Finding]:
    """Sentence case, no full stop, short."""
    for module in app.of_kind("module"):
        label = str(module.entry.get("label") or "")
        if not label or label[0] != label[0].upper() or label.endswith(".") or len(label) > LONGEST:
            yield Finding(module.where, f"the label is not a short phrase in sentence case: {label!r}")
        shouting = [word for word in label.split()[1:] if word.isupper() and len(word) > 3]
        if shouting:
            yield Finding(module.where, f"the label shouts: {' '.join(shouting)}")


def labels_say_what_happens(app: MakeApp) -> Iterator[Finding]:
    """Triggers watch something; an action on one thing names it with an article."""
    for module in app.of_kind("module"):
        label, kind = str(module.entry.get("label") or ""), module.entry.get("moduleType")
        if kind in ("trigger", "instant_trigger") and not label.startswith(WATCH):
            yield Finding(module.where, f"the label of a trigger begins with Watch: {label!r}")
        if kind == "action" and SINGLE.match(label) and not label.endswith("s"):
            yield Finding(module.where, f"the label names one thing without an article: {label!r}")


def types_are_known(app: MakeApp) -> Iterator[Finding]:
    """Modules, connections and webhooks have a type, and an action says what it does to a record."""
    for module in app.of_kind("module"):
        if module.entry.get("moduleType") not in TYPES:
            yield Finding(module.where, f"has the unknown type {module.entry.get('moduleType')}")
        if module.entry.get("moduleType") == "action" and "actionCrud" not in module.entry:
            yield Finding(module.where, "is an action without actionCrud")
    for connection in app.of_kind("connection"):
        if connection.entry.get("connectionType") not in ("basic", "oauth"):
            yield Finding(connection.where, "has no connectionType")
    for webhook in app.of_kind("webhook"):
        if webhook.entry.get("webhookType") not in ("web", "web-shared"):
            yield Finding(webhook.where, "has no webhookType")


def there_is_a_universal_module(app: MakeApp) -> Iterator[Finding]:
    """One module calls any path of the service, and no other address."""
    universal = [one for one in app.of_kind("module") if one.entry.get("moduleType") == "universal"]
    if len(universal) != 1:
        yield Finding("makecomapp.json", f"has {len(universal)} universal modules instead of one")
    for module in universal:
        url = str((app.code(module, "communication") or {}).get("url", ""))
        if url.startswith(("http", "{{connection")):
            yield Finding(module.where, "calls an address that is not relative to the base")
        for _, parameter in app.form(module):
            if parameter.get("name") in ("path", "url") and "pattern" not in parameter.get("validate", {}):
                yield Finding(module.where, "takes any address; its path needs a pattern")


def limits_can_be_set(app: MakeApp) -> Iterator[Finding]:
    """Searches and polling triggers let a person set the limit."""
    for module in app.of_kind("module"):
        if module.entry.get("moduleType") in ("search", "trigger"):
            names = {parameter.get("name") for _, parameter in app.form(module)}
            if "limit" not in names:
                yield Finding(module.where, "has no limit that a person can set")


def fields_have_help(app: MakeApp) -> Iterator[Finding]:
    """Whatever a person fills in says what it wants."""
    for component in app.components:
        if component.kind == "rpc":
            continue
        for where, parameter in app.form(component):
            if not parameter.get("help"):
                yield Finding(where, f"{parameter.get('name')} has no help")


RULES = (
    labels_read_well,
    labels_say_what_happens,
    types_are_known,
    there_is_a_universal_module,
    limits_can_be_set,
    fields_have_help,
)
