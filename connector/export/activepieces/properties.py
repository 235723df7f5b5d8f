"""The properties of a form: what kind each is, its words, and where its choices come from.

Numbers and days are text: Activepieces would carry an amount as a double, and read a day as midnight in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.messages import Text, say
from connector.export.activepieces.translation import Translation
from connector.export.node.costs import poll_costs, run_costs
from connector.export.node.lookup_use import lookup_use
from connector.export.node.pack import sendable
from connector.export.shape import Dropped, ExportOptions

KEY, AGAIN, START, SINCE = "kontor_key", "kontor_again", "kontor_start", "kontor_since"
REPLACE, ABOUT = "kontor_replace_foreign_url", "kontor_about"
Property = dict[str, Any]


class Properties:
    """Writes forms in English, collects their German, and notes what they cannot hold."""

    def __init__(self, lookups: Iterable[str], options: ExportOptions, translation: Translation) -> None:
        self._lookups = frozenset(lookups)
        self._options = options
        self._say = translation.english
        self.dropped: list[Dropped] = []

    def of_action(self, action: Action) -> dict[str, Property]:
        """The form of an action."""
        repeats = action.repeat == "duplicates"
        notes = [run_costs(action), *([say("activepieces_repeats")] if repeats else [])]
        more = {KEY: self._text("activepieces_key"), AGAIN: self._switch("package_again")} if repeats else {}
        return {**self._about(notes), **self._fields(action), **more}

    def of_trigger(self, trigger: Trigger) -> dict[str, Property]:
        """The form of a trigger, with where a poll begins."""
        if trigger.source == "poll":
            return {**self._about([poll_costs(trigger)]), **self._fields(trigger), **self._start()}
        if self._options.via == "host":
            return self._fields(trigger)
        return {**self._about([say("activepieces_one_url")]), **self._fields(trigger), REPLACE: self._replace()}

    def _fields(self, manifest: Action | Trigger) -> dict[str, Property]:
        order = {"required": 0, "optional": 1, "advanced": 2}
        there = [one for one in manifest.inputs if not one.internal and sendable(one, self._options.wire)]
        shown = sorted(there, key=lambda one: order[one.presence])
        return {key: made for one in shown for key, made in self._made(one, manifest, one.name, one.label)}

    def _made(self, field: Field, manifest: Manifest, key: str, label: Text) -> Iterable[tuple[str, Property]]:
        """A field, or the fields of a group, each named after both."""
        if field.type == "object" and field.fields:
            for one in field.fields:
                within = Text(*(f"{group}: {own}" for group, own in zip(label, one.label, strict=True)))
                yield from self._made(one, manifest, f"{key}_{one.name}", within)
            return
        words = self._words(label, field.help, field.required)
        if field.type == "list" and field.fields:
            yield key, {"kind": "Array", **words, "properties": self._lines(field, manifest)}
        else:
            yield key, self._plain(field, manifest, words)

    def _lines(self, field: Field, manifest: Manifest) -> dict[str, Property]:
        found: dict[str, Property] = {}
        for one in field.fields:
            if one.type == "list":
                self.dropped.append(Dropped("field", f"{manifest.id}.{field.name}.{one.name}", _as_json()))
                help = Text(*(" ".join(parts) for parts in zip(one.help, say("make_json_body"), strict=True)))
                found[one.name] = {"kind": "LongText", **self._words(one.label, help, one.required)}
            else:
                found |= dict(self._made(one, manifest, one.name, one.label))
        return {name: {**made, "required": False} for name, made in found.items()}

    def _plain(self, field: Field, manifest: Manifest, words: Property) -> Property:
        default = {} if field.default is None else {"defaultValue": field.default}
        if field.lookup is not None and field.lookup.id in self._lookups:
            inputs = lookup_use(manifest, field)
            sources = [one["from"] for one in inputs.values() if "from" in one]
            lookup = {"id": field.lookup.id, "inputs": inputs}
            return {"kind": "Dropdown", **words, **default, "refreshers": sources, "lookup": lookup}
        if field.type == "boolean" and field.default is not None:
            return {"kind": "Checkbox", **words, **default}
        if field.type == "boolean":
            return {"kind": "StaticDropdown", **words, **self._choices(_yes_no())}
        if field.values:
            values = [(one.value, one.label) for one in field.values]
            return {"kind": "StaticDropdown", **words, **default, **self._choices(values)}
        if field.type == "object":
            return {"kind": "LongText" if field.place == "none" else "Object", **words}
        if field.type == "file":
            return {"kind": "File", **words}
        return {"kind": "ShortText", **words, **({"defaultValue": str(field.default)} if default else {})}

    def _start(self) -> dict[str, Property]:
        choices = [(name, say(f"package_start_{name}")) for name in ("now", "all", "since")]
        words = self._words(say("package_start"), say("activepieces_start_help"), required=False)
        since = self._words(say("package_since"), say("activepieces_since_help"), required=False)
        return {
            START: {"kind": "StaticDropdown", **words, "defaultValue": "now", **self._choices(choices)},
            SINCE: {"kind": "ShortText", **since},
        }

    def _about(self, notes: Iterable[Text]) -> dict[str, Property]:
        texts = [" ".join(filter(None, parts)) for parts in zip(*notes, strict=True)]
        if not any(texts):
            return {}
        about = say("zapier_about")
        return {ABOUT: {"kind": "MarkDown", "displayName": self._say(about), "value": self._say(Text(*texts))}}

    def _text(self, name: str) -> Property:
        return {"kind": "ShortText", **self._words(say(name), say(f"{name}_help"), required=False)}

    def _switch(self, name: str) -> Property:
        words = self._words(say(name), say(f"{name}_help"), required=False)
        return {"kind": "Checkbox", **words, "defaultValue": False}

    def _replace(self) -> Property:
        words = self._words(say("export_replace_url"), say("activepieces_replace_help"), required=False)
        return {"kind": "Checkbox", **words, "defaultValue": False}

    def _words(self, label: Text, help: Text, required: bool) -> Property:
        return {"displayName": self._say(label), "description": self._say(help), "required": required}

    def _choices(self, values: Iterable[tuple[str, Text]]) -> Property:
        options = [{"label": self._say(label), "value": value} for value, label in values]
        return {"options": {"disabled": False, "options": options}}


def _as_json() -> Text:
    return say("activepieces_lines_as_json")


def _yes_no() -> list[tuple[str, Text]]:
    return [("true", say("yes")), ("false", say("no"))]
