"""A manifest as Python sees it: actions, lookups, triggers and their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from connector.core.messages import Text

Tree = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an enum."""

    value: str
    label: Text


@dataclass(frozen=True, slots=True)
class LookupUse:
    """The dropdown of a field: which lookup, and where its own inputs come from (`$name` is another field)."""

    id: str
    with_: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Field:
    """One input of a form."""

    name: str
    type: str
    label: Text
    help: Text
    presence: Literal["required", "optional", "advanced"] = "optional"
    format: str | None = None
    default: Any = None
    example: Any = None
    values: tuple[Choice, ...] = ()
    open: bool = False
    fields: tuple[Field, ...] = ()
    aliases: tuple[str, ...] = ()
    min: float | None = None
    max: float | None = None
    max_length: int | None = None
    currency_field: str | None = None
    lookup: LookupUse | None = None
    place: Literal["path", "query", "body", "whole_body", "none"] = "none"
    as_: str | None = None
    wire: str | None = None
    internal: bool = False
    """Filled in by the trigger's handler at each poll; no form shows it."""

    @property
    def required(self) -> bool:
        """Whether a form cannot be sent without it."""
        return self.presence == "required" and self.default is None


@dataclass(frozen=True, slots=True)
class Cost:
    """Credits that a call costs, as described."""

    credits: int
    dropdown: int | None = None
    settles_later: bool = False
    assumed: bool = False
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Where a call goes."""

    method: str
    path: str | None = None
    by: str | None = None
    choose: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadBack:
    """How to find out whether a keyed write happened after all."""

    action: str
    key_field: str
    key_name: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What actions, lookups and triggers have in common."""

    kind: str
    id: str
    area: str
    title: Text
    description: Text
    cost: Cost
    inputs: tuple[Field, ...]
    request: Request | None
    sample: Any
    raw: Tree = field(repr=False)
    """The file as it is, for `kontor describe` and the exports."""


@dataclass(frozen=True, slots=True)
class Action(Manifest):
    """One thing a step of a flow can do."""

    effect: Literal["read", "create", "update"] = "read"
    repeat: Literal["harmless", "same_result", "duplicates"] = "harmless"
    read_back: ReadBack | None = None
    timeout: float = 30.0
    typical: float = 1.0
    resource: str = "FreeForm"
    is_list: bool = False
    messages: Mapping[str, Text] = field(default_factory=dict)
    refreshes: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether it may change something at the service."""
        return self.effect != "read"


@dataclass(frozen=True, slots=True)
class Lookup(Manifest):
    """A list of options for a form field."""

    ttl: int = 60
    value: str = ""
    label: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Trigger(Manifest):
    """What starts a flow."""

    source: Literal["poll", "event"] = "poll"
    events: tuple[str, ...] = ()
    usual_interval: int = 300
    least_interval: int = 60
    timeout: float = 30.0
    typical: float = 1.0
    resource: str = "FreeForm"
    is_list: bool = True
    """Whether the polled answer carries a list; otherwise it is one resource."""
    confirm: Literal["payment"] | None = None
    """What is read from the API before an event may fire."""
    messages: Mapping[str, Text] = field(default_factory=dict)


def action(tree: Tree) -> Action:
    """Reads an action's manifest."""
    back, duration, output = tree.get("read_back"), tree["duration"], tree["output"]
    return Action(
        **_shared(tree),
        effect=tree["effect"],
        repeat=tree["repeat"],
        read_back=ReadBack(**back) if back else None,
        timeout=float(duration["timeout"]),
        typical=float(duration["typical"]),
        resource=output["resource"],
        is_list=output["list"],
        messages=_texts(tree),
        refreshes=tuple(tree.get("refreshes", ())),
    )


def lookup(tree: Tree) -> Lookup:
    """Reads a lookup's manifest."""
    options = tree.get("options", {})
    return Lookup(
        **_shared(tree),
        ttl=tree["ttl"],
        value=options.get("value", ""),
        label=options.get("label", ""),
        hint=options.get("hint", ""),
    )


def trigger(tree: Tree) -> Trigger:
    """Reads a trigger's manifest."""
    interval = tree.get("interval", {"usual": 300, "least": 60})
    duration = tree.get("duration", {"timeout": 30, "typical": 1})
    return Trigger(
        **_shared(tree),
        source=tree["source"],
        events=tuple(tree.get("events", ())),
        usual_interval=interval["usual"],
        least_interval=interval["least"],
        timeout=float(duration["timeout"]),
        typical=float(duration["typical"]),
        resource=tree["output"]["resource"],
        is_list=tree["output"]["list"],
        confirm=tree.get("confirm"),
        messages=_texts(tree),
    )


def _shared(tree: Tree) -> dict[str, Any]:
    return {
        "kind": tree["kind"],
        "id": tree["id"],
        "area": tree["area"],
        "title": _text(tree["title"]),
        "description": _text(tree["description"]),
        "cost": _cost(tree["cost"]),
        "inputs": tuple(map(_field, tree["inputs"])),
        "request": _request(tree.get("request")),
        "sample": tree["sample"],
        "raw": tree,
    }


def _text(tree: Tree) -> Text:
    return Text(tree["en"], tree["de"])


def _texts(tree: Tree) -> dict[str, Text]:
    return {name: _text(text) for name, text in tree.get("messages", {}).items()}


def _cost(tree: Tree) -> Cost:
    note = tree.get("note")
    return Cost(**{**tree, "note": _text(note) if note else None})


def _request(tree: Tree | None) -> Request | None:
    if tree is None:
        return None
    paths = tree.get("paths", {})
    return Request(tree["method"], tree.get("path"), paths.get("by"), paths.get("choose", {}), tree.get("query", {}))


def _field(tree: Tree) -> Field:
    use = tree.get("lookup")
    plain = {
        name: tree[name]
        for name in ("name", "type", "presence", "format", "default", "example", "open", "min", "max", "max_length")
        if name in tree
    }
    return Field(
        **plain,
        label=_text(tree["label"]),
        help=_text(tree["help"]),
        values=tuple(Choice(item["value"], _text(item["label"])) for item in tree.get("values", ())),
        fields=tuple(map(_field, tree.get("fields", ()))),
        aliases=tuple(tree.get("aliases", ())),
        currency_field=tree.get("currency_field"),
        lookup=LookupUse(use["id"], use.get("with", {})) if use else None,
        place=tree.get("in", "none"),
        as_=tree.get("as"),
        wire=tree.get("wire"),
        internal=tree.get("internal", False),
    )
