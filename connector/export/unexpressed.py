"""What a package that talks to the service directly can check by itself, and what only Kontor can do.

Forms and documents check one field at a time: presence, patterns, bounds, choices. All else that a manifest declares
is named in the export's report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from connector.core import service_facts
from connector.core.data.fields import Choice, Field
from connector.core.data.templates import Placeholder, parsed, path_or_template
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.manifest.references import rule_paths
from connector.core.messages import Text, quote, say
from connector.core.polls.by_id import ById
from connector.core.rules import ABOUT
from connector.core.rules.finding import Form
from connector.core.service.wire import Wire
from connector.export.service_request import BESIDE, is_free_call, service_request
from connector.export.shape import Dropped, ExportOptions
from connector.runtime.connector import Connector

M = TypeVar("M", Action, Trigger)
ADDED = "_id"
"""What a platform adds to an item by itself; further fields of Kontor's own need Kontor."""
READS = "GET"
"""The method of a call to any path that changes nothing."""
BOUNDS = {"least": "min", "above": "min", "most": "max", "below": "max"}
EXACT_BOUNDS = frozenset({"field", "least", "most"})


def unverified(platform: str) -> Dropped:
    """That the host's signature of deliveries is not checked, where a platform does not show them to the letter."""
    return Dropped("check", "deliveries", say("left_out_signature", platform=platform))


def says_end(trigger: Trigger) -> bool:
    """Whether it tells that something is gone, which only who knew it can believe."""
    return any(service_facts.says_gone(event) for event in trigger.events)


def without_picks(actions: Iterable[Action]) -> tuple[list[Action], list[Dropped]]:
    """The actions whose output is the service's answer, and those that take one item out of it, which no form does."""
    actions = list(actions)
    dropped = [Dropped("action", action.id, say("left_out_pick")) for action in actions if action.picked]
    return [action for action in actions if not action.picked], dropped


def duplicates(action: Action) -> bool:
    """Whether it writes, and does so once more each time that it is repeated."""
    return action.writes and action.repeat == "duplicates"


def without_duplicating(actions: Iterable[Action], options: ExportOptions) -> tuple[list[Action], list[Dropped]]:
    """The actions that a package with neither key nor look-up offers, and the writes that it leaves out.

    Of the call to any path it offers what reads: which paths may be written to, no form of such a package can check.
    """
    actions = list(actions)
    if options.via == "host":
        return actions, []
    remaining: list[Action] = []
    dropped: list[Dropped] = []
    for action in actions:
        if is_free_call(action):
            remaining.append(_reading(action))
            dropped.append(Dropped("field", f"{action.id}.method", say("left_out_writing_methods")))
        elif options.with_writes or not duplicates(action):
            remaining.append(action)
        else:
            dropped.append(Dropped("action", action.id, say("left_out_duplicates")))
    return remaining, dropped


def notes_on_writes(connector: Connector, options: ExportOptions) -> tuple[Text, ...]:
    """What the report says first of writes that duplicate; nothing where a host guards them."""
    if options.via == "host" or not any(map(duplicates, connector.actions.values())):
        return ()
    return (say("export_with_writes" if options.with_writes else "export_without_writes"),)


def as_sent(manifest: M) -> M:
    """The manifest with inputs as the service itself takes them.

    Nothing is derived or tidied on the way there; what a rule says of one field becomes a part of that field.
    """
    fields = {field.name: _exact(field) for field in manifest.inputs}
    for name, declared, warns in _rules(manifest):
        if not warns and isinstance(declared, Mapping) and "field" in declared:
            fields[declared["field"]] = _with_rule(fields[declared["field"]], name, declared)
    return replace(manifest, inputs=tuple(fields.values()))


def unchecked(manifest: Action | Trigger) -> list[Dropped]:
    """The rules that no form checks, and the inputs that nothing derives."""
    form = Form(manifest.inputs)
    dropped = [
        Dropped("field", f"{manifest.id}.{field.name}", say("left_out_derived"))
        for field in manifest.inputs
        if field.derived
    ]
    for name, declared, warns in _rules(manifest):
        if warns or not _is_expressed(name, declared, manifest.inputs):
            named = [form.label(path) for _, path in rule_paths(declared)]
            labels = Text(*(", ".join(texts) for texts in zip(*named, strict=True)))
            dropped.append(Dropped("check", manifest.id, say("left_out_rule", rule=name, labels=labels)))
    if manifest.code and isinstance(manifest, Action):
        dropped.append(Dropped("check", manifest.id, say("left_out_code")))
    return dropped


def absent(manifest: Manifest, wire: Wire) -> list[Dropped]:
    """The inputs whose parameter the service does not have."""
    request = service_request(manifest, wire)
    return [
        Dropped(
            "field",
            f"{manifest.id}.{field.name}",
            say("left_out_beside" if field.place in BESIDE else "left_out_absent"),
        )
        for field in (request.absent if request else ())
    ]


def unpolled(trigger: Trigger, platform: str) -> Text | None:
    """Why a poll needs Kontor; None where one id or date is memory enough."""
    if trigger.request is None:
        return say("left_out_own_data")
    if trigger.poll is None or trigger.poll.single is None:
        return say("left_out_memory", platform=platform)
    return None


def simplified(trigger: Trigger) -> list[Dropped]:
    """What a poll with one id or date does not do."""
    dropped = [Dropped("field", f"{trigger.id}.{name}", say("left_out_computed")) for name in computed(trigger)]
    wait = trigger.poll.wait if isinstance(trigger.poll, ById) else None
    if wait:
        dropped.append(Dropped("check", trigger.id, say("left_out_waiting", days=wait["days"])))
    return dropped


def computed(trigger: Trigger, platform_adds: str = ADDED) -> tuple[str, ...]:
    """The fields that only Kontor adds to a trigger's items."""
    return tuple(name for name in trigger.sample[0] if name.startswith("_") and name != platform_adds)


def plainer_options(lookup: Lookup) -> list[Dropped]:
    """What becomes simpler where a package makes the options of an answer by itself."""
    declared = lookup.options.declared
    if lookup.request is None:
        return []
    texts = [part for key in ("label", "hint") if key in declared for part in parsed(path_or_template(declared[key]))]
    reasons = ["left_out_order"] if "sort" in declared else []
    if any(isinstance(part, Placeholder) and part.filter == "money" for parts in texts for part in parts):
        reasons.append("left_out_money")
    return [Dropped("field", f"{lookup.id}.options", say(name)) for name in reasons]


def _reading(action: Action) -> Action:
    """The call to any path, with the method that reads as its only one."""
    fields = [field for field in action.inputs if field.name != "body"]
    inputs = tuple(
        replace(field, values=tuple(choice for choice in field.values if choice.value == READS))
        if field.name == "method"
        else field
        for field in fields
    )
    return replace(action, inputs=inputs, effect="read", repeat="harmless")


def _rules(manifest: Manifest) -> Iterator[tuple[str, Any, bool]]:
    """Each rule: its name, what it declares, and whether it only warns."""
    for entry in manifest.raw.get("rules", ()):
        name = next(name for name in entry if name not in ABOUT)
        yield name, entry[name], bool(entry.get("warn"))


def _exact(field: Field) -> Field:
    help = say("left_out_derived") if field.derived else None
    texts = Text(*(f"{text} {more}" for text, more in zip(field.help, help, strict=True))) if help else field.help
    return replace(field, derived=False, respelled=False, help=texts, fields=tuple(map(_exact, field.fields)))


def _with_rule(field: Field, name: str, declared: Mapping[str, Any]) -> Field:
    match name:
        case "range":
            return replace(field, **{BOUNDS[key]: bound for key, bound in declared.items() if key in BOUNDS})
        case "equals" if field.type == "string" and not field.lookup:
            return replace(field, type="enum", values=(Choice(declared["value"], quote(declared["value"])),))
        case "pattern" if field.pattern is None:
            return replace(field, pattern=declared.get("match") or f"^(?![\\s\\S]*(?:{declared['not']}))")
        case _:
            return field


def _is_expressed(name: str, declared: Any, fields: Iterable[Field]) -> bool:
    """Whether the field says as much as the rule."""
    if name == "range":
        return set(declared) <= EXACT_BOUNDS
    if name not in ("equals", "pattern"):
        return False
    field = next(field for field in fields if field.name == declared["field"])
    return _with_rule(field, name, declared) != field


def one_per_address(actions: Iterable[Action], wire: Wire) -> tuple[list[Action], list[Dropped]]:
    """The actions that a format with one operation for each method and path can hold, in their order, and the others.

    Of several at one address, the one with the most inputs stays: it can do what the others do. Nothing there takes one
    item out of a list.
    """
    actions, picking = without_picks(actions)
    holder: dict[tuple[str, str], Action] = {}
    for action in sorted(actions, key=lambda action: (-len(action.inputs), action.id)):
        for address in _addresses(action, wire):
            holder.setdefault(address, action)
    remaining: list[Action] = []
    dropped: list[Dropped] = [*picking]
    for action in actions:
        lost = next((address for address in _addresses(action, wire) if holder[address] is not action), None)
        if lost is None:
            remaining.append(action)
        else:
            reason = say("left_out_address_taken", method=lost[0], path=lost[1], other=holder[lost].id)
            dropped.append(Dropped("action", action.id, reason))
    return remaining, dropped


def _addresses(action: Action, wire: Wire) -> list[tuple[str, str]]:
    request = service_request(action, wire)
    if request is None:
        return []
    return [(request.method, path) for path, _ in request.addresses]
