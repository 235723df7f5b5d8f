"""The pack: everything that the TypeScript core works from, as one JSON object in one language.

It holds the manifests with the wire names in force, and only those sentences that the core can say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from connector.core import service_facts
from connector.core.data.fields import Field
from connector.core.data.localize import Words
from connector.core.data.price import QUIET_SECONDS
from connector.core.errors import KontorError
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.manifest.output_fields import output_fields
from connector.core.messages import sentences, template, worded
from connector.core.rules import ABOUT, FILE, RULES
from connector.core.service.wire import BODIES, Wire
from connector.core.values import currencies
from connector.core.writes.marks import own_marks
from connector.core.writes.proof import whole_patterns
from connector.export.shape import ExportOptions
from connector.runtime.requests.catalog import Catalog

WORD = re.compile(r":word\((\w+)\)\}")
QUOTED = re.compile(r"['\"`]([a-z][a-z0-9_.]+)['\"`]")
PLAIN = ("default", "format", "min", "max", "max_length", "currency_field")
FLAGS = ("open", "internal", "derived")
DECLARED = ("options", "poll", "event", "read_back", "moves")
HOST_ONLY = "shared"
"""Of a poll: flows share a list only where a host polls for all of them."""


def pack(
    catalog: Catalog, held: Iterable[Manifest], options: ExportOptions, quelle: str, sources: Iterable[str]
) -> dict[str, Any]:
    """The pack for these manifests. `sources` is the TypeScript that goes along: its names of sentences decide."""
    library, marker = catalog.library, options.wire.marker
    found: dict[str, dict[str, Any]] = {"actions": {}, "lookups": {}, "triggers": {}}
    for manifest in held:
        found[f"{manifest.kind}s"][manifest.id] = entry(manifest, options, library)
    return {
        "lang": options.lang,
        "quelle": quelle,
        "marker": {"place": marker.place, "name": marker.name, "value": marker.value},
        "marks": {field: sorted(names) for field, names in own_marks().items()},
        "messages": messages(sources, library.declared_formats, options.lang, quelle),
        "formats": {name: {"message": "", **one} for name, one in library.declared_formats.items()},
        "tables": tables(options.lang),
        "words": words(found["lookups"].values(), library.words, options.lang),
        "file_kinds": dict(library.file_kinds),
        "provider": dict(library.provider),
        "proofs": _proofs(library.proofs, options.wire),
        "states": {name: _without(one, "succeeded", "needs_person") for name, one in library.declared_states.items()},
        "events": {
            **{name: _event(name, one) for name, one in library.events.items()},
            **{name: {"own": True} for name in sorted(library.own_events)},
        },
        "roles": dict(catalog.roles),
        **found,
    }


def entry(manifest: Manifest, options: ExportOptions, library: Library) -> dict[str, Any]:
    """One manifest as the core reads it."""
    row: dict[str, Any] = {
        "kind": manifest.kind,
        "id": manifest.id,
        "title": manifest.title.in_(options.lang),
        "inputs": [_field(one, options) for one in manifest.inputs],
        "quelle": manifest.carries_quelle,
        **({"marked": True} if manifest.carries_marker else {}),
    }
    raw = manifest.raw
    row |= {name: raw[name] for name in ("request", *DECLARED) if name in raw}
    if "request" in row:
        row["request"] = _without(row["request"], "quelle")  # the row says so itself
    if "poll" in row:
        row["poll"] = _without(row["poll"], HOST_ONLY)
    if "rules" in raw:
        row["rules"] = [_rule(one, options.lang) for one in raw["rules"]]
    if isinstance(manifest, Action | Trigger):
        shape = raw["output"].get("shape")
        row["output"] = {"list": manifest.is_list, **({"shape": shape} if shape else {})}
        row["timeout"] = manifest.timeout
        if manifest.messages:
            row["messages"] = {name: text.in_(options.lang) for name, text in manifest.messages.items()}
        if manifest.code:
            row["code"] = True
    if isinstance(manifest, Action):
        row |= {"writes": manifest.writes, "repeat": manifest.repeat}
        if manifest.picked:
            row["picks"] = {"credits": manifest.cost.credits, "listed": _listed(manifest)}
        if manifest.writes and "columns" in raw["output"]:
            row["output"]["columns"] = columns(manifest, library, options.lang)
    elif isinstance(manifest, Trigger):
        row["source"] = manifest.source
        if manifest.source == "poll" and manifest.cost.credits:
            row["throttle"] = {"least": manifest.least_interval, "most": manifest.paid_a_day, **_signs(manifest)}
    return row


def _listed(action: Action) -> dict[str, Any]:
    """The inputs that go along with a picked item, with the lists that must hold them."""
    uses = {field.name: field.lookup for field in action.picked_along}
    return {name: {"lookup": use.id, "with": dict(use.with_)} for name, use in uses.items() if use}


def columns(action: Action, library: Library, lang: str) -> list[dict[str, Any]]:
    """The fields by which a person knows the output, with what their known values are called."""
    sets = {field.name: field.words for field in output_fields(action, library)}
    return [
        {"name": name, "words": _called(library.words[sets[name]], lang)} if sets.get(name) else {"name": name}
        for name in action.raw["output"]["columns"]
    ]


def _signs(trigger: Trigger) -> dict[str, Any]:
    """Where free signs tell that a paid list is worth reading."""
    if trigger.shared is None:
        return {}
    return {"signs": {"group": trigger.shared.group, "part": trigger.shared.part, "quiet": QUIET_SECONDS}}


def sendable(field: Field, wire: Wire) -> bool:
    """Whether the service has a name for it; a wire name of null says that it has none."""
    return not field.wire or field.wire in BODIES or wire[field.wire] is not None


def messages(
    sources: Iterable[str], formats: Mapping[str, Mapping[str, Any]], lang: str, platform: str
) -> dict[str, str]:
    """Every sentence that the sources name, or a rule or a format can say, and every remedy, as a platform words it."""
    named = {name for source in sources for name in QUOTED.findall(source)}
    named |= {str(one["message"]) for one in formats.values() if "message" in one}
    # Not those of a host or a database, which may happen to be imported.
    own = (kind for kind in KontorError.__subclasses__() if kind.__module__ == KontorError.__module__)
    named |= {f"{kind.kind}_remedy" for kind in own}
    named |= {f"{name}_remedy" for name in named} | {"in_line"}
    rules = tuple(f"{name}." for name in (*RULES, FILE))
    wanted = [name for name in sentences() if name in named or name.startswith(rules)]
    return {name: worded(template(name), platform).in_(lang) for name in sorted(wanted)}


def tables(lang: str) -> dict[str, Any]:
    """What libraries know and the core must: currencies, the forms of IBANs by country, and countries."""
    from pycountry import countries
    from schwifty import registry

    specs = {country: registry.get_iban_spec(country) for country in sorted(registry.get_countries())}
    return {
        "currencies": list(currencies.codes(lang)),
        "iban": {
            country: {"length": spec.iban_length, "pattern": spec.regex.pattern} for country, spec in specs.items()
        },
        "countries": sorted(country.alpha_2 for country in countries),
    }


def words(lookups: Iterable[Mapping[str, Any]], sets: Words, lang: str) -> dict[str, dict[str, str]]:
    """The sets of words that the options of these lookups name, in one language."""
    texts = [one["options"][key] for one in lookups for key in ("label", "hint") if key in one["options"]]
    named = sorted(
        set(WORD.findall(" ".join(part for text in texts for part in ([text] if isinstance(text, str) else text))))
    )
    return {name: _called(sets[name], lang) for name in named}


def _called(words: Mapping[str, Mapping[str, str]], lang: str) -> dict[str, str]:
    return {value: text[lang] for value, text in words.items()}


def _without(tree: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A tree without what only Python reads."""
    return {name: value for name, value in tree.items() if name not in names}


def _proofs(table: Mapping[str, Any], wire: Wire) -> dict[str, Any]:
    """The table of proofs, with its patterns made whole and the statuses that the wire file believes in."""
    rows = [_without(row, "sentence") for row in table["rows"]]
    for row in rows:
        row["status"] = wire.get(row["status"], row["status"]) if isinstance(row["status"], str) else row["status"]
    return {**_without(table, "parts"), "patterns": whole_patterns(table), "rows": rows}


def _event(name: str, declared: Mapping[str, Any]) -> dict[str, Any]:
    """An event, with what may be told of it: fields that the API shows, and words that are described."""
    row = _without(declared, "data", "news")
    if declared["about"] != service_facts.BANK_CONNECTION:
        return row
    told = {"shown": service_facts.shown(name), "accounts": service_facts.accounts(name)}
    row |= {part: list(names) for part, names in told.items() if names}
    return {**row, "words": {field: list(known) for field, known in service_facts.words(name).items()}}


def _field(field: Field, options: ExportOptions) -> dict[str, Any]:
    row: dict[str, Any] = {"name": field.name, "type": field.type, "label": field.label.in_(options.lang)}
    row |= {name: value for name in PLAIN if (value := getattr(field, name)) is not None}
    row |= {name: True for name in FLAGS if getattr(field, name)}
    if field.needed:
        row["required"] = True
        if field.type == "list":
            row["list_required"] = True
    if field.values:
        also = "en" if options.lang == "de" else "de"
        row["values"] = [
            {"value": one.value, "label": one.label.in_(options.lang), "also": one.label.in_(also)}
            for one in field.values
        ]
    if field.fields:
        row["fields"] = [_field(one, options) for one in field.fields]
    if field.aliases:
        row["aliases"] = list(field.aliases)
    if field.place != "none":
        row |= {"in": field.place, "as": _wire_name(field, options.wire)}
        if field.wire and field.wire not in BODIES:
            row["wire"] = field.wire
    return row


def _wire_name(field: Field, wire: Wire) -> str | None:
    if field.wire in BODIES:
        return str(wire[str(field.wire)][field.name])
    name = wire[field.wire] if field.wire else field.as_ or field.name
    return None if name is None else str(name)


def _rule(declared: Mapping[str, Any], lang: str) -> dict[str, Any]:
    rule = {name: value for name, value in declared.items() if name not in ABOUT}
    if "words" in declared:
        rule["words"] = {reason: text[lang] for reason, text in declared["words"].items()}
    return {**rule, **({"warn": True} if declared.get("warn") else {})}
