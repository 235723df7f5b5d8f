"""A manifest as Python sees it: actions, lookups, triggers and their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NewType

from connector.core.data.answers import DATA
from connector.core.data.events import EventFilter
from connector.core.data.fields import Choice, Field, FieldGroup, LookupUse, SuggestUse
from connector.core.data.options import OptionList
from connector.core.data.price import paid_polls_a_day
from connector.core.data.templates import Template, path_or_template
from connector.core.manifest.library import Library
from connector.core.messages import Text
from connector.core.polls import Strategy, strategy
from connector.core.rules import Rules
from connector.core.service.wire import Wire

Tree = Mapping[str, Any]
ActionId = NewType("ActionId", str)
"""The id of an action that no type checker can know: of a further manifest, or from data."""
MAX_SUBJECT_CHARACTERS = 200
NOTHING_AROUND = "body"
"""What a request says of an answer that has no envelope."""


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
    quelle: bool = True
    """Whether the service takes the label of the calling source there."""
    answer_in: str = "data"
    """The key under which the answer carries the list or object; `body` when nothing is around it."""
    answer_assumed: bool = False
    """The service does not show how it wraps this answer."""
    answer_names: tuple[str, ...] = ()
    """What a successful answer to a write names of what was made; one with none of it proves nothing."""
    answer_shows: tuple[str, ...] = ()
    """The inputs that it shows as they were sent; one that shows another is about another write."""

    @property
    def addresses(self) -> list[str]:
        """Every path that it may go to."""
        return [path for path in (self.path, *self.choose.values()) if path]


@dataclass(frozen=True, slots=True)
class ReadBack:
    """How to find a write at the service again: the list that shows it, and the marks that it carries."""

    action: str
    key_field: str
    key_name: str
    digest_name: str
    one: str | None = None
    """The action that shows a single one by its id."""
    made: str | None = None
    """The field of a row that says when it was made."""
    since: str | None = None
    """The input of the list that leaves out what was made on earlier days."""
    most: str | None = None
    """The input of the list that bounds how many rows it shows."""
    shows: tuple[str, ...] = ()
    """The inputs that a row shows as they were sent."""


@dataclass(frozen=True, slots=True)
class MoneyInputs:
    """The inputs that say how much is paid, in which currency and to whom."""

    amount: str
    currency: str
    payee: str
    payee_name: str | None = None
    account: str | None = None
    """From which account it is paid."""

    @property
    def shown(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The inputs that make up each field of the question that a person is asked."""
        payee = (self.payee, *((self.payee_name,) if self.payee_name else ()))
        account = (("account", (self.account,)),) if self.account else ()
        return ("amount", (self.amount, self.currency)), ("payee", payee), *account


@dataclass(frozen=True, slots=True)
class Manifest:
    """What actions, lookups and triggers have in common."""

    kind: str
    id: str
    area: str
    title: Text
    description: Text
    summary: Text
    """The description in one short sentence, for lists and platforms that give it little room."""
    cost: Cost
    inputs: tuple[Field, ...]
    request: Request | None
    sample: Any
    raw: Tree = field(repr=False)
    """The file as it is, for `kontor describe` and the exports."""
    rules: Rules = field(repr=False)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Further words that people search for."""
        return tuple(self.raw.get("aliases", ()))

    @property
    def groups(self) -> tuple[FieldGroup, ...]:
        """How its form is divided; empty where the order of the inputs is enough."""
        declared = self.raw.get("groups", ())
        return tuple(
            FieldGroup(_text(group["label"]) if "label" in group else None, tuple(group["inputs"]))
            for group in declared
        )

    @property
    def carries_quelle(self) -> bool:
        """Whether its calls carry the label of the calling source."""
        return self.area == "ledger" and (self.request is None or self.request.quelle)

    @property
    def carries_marker(self) -> bool:
        """Whether its calls say that they fill a dropdown: where that makes free what is charged otherwise."""
        return self.kind == "lookup" and (self.cost.dropdown or 0) < self.cost.credits

    @property
    def answer_in(self) -> str:
        """The key under which an answer may carry the list or object, whatever else is read too."""
        return DATA if self.request is None or self.request.answer_in == NOTHING_AROUND else self.request.answer_in

    @property
    def answer_shows(self) -> tuple[str, ...]:
        """The inputs that a successful answer to a write shows as they were sent."""
        return () if self.request is None else self.request.answer_shows


@dataclass(frozen=True, slots=True)
class Action(Manifest):
    """One thing a step of a flow can do."""

    id: ActionId
    effect: Literal["read", "create", "update"] = "read"
    repeat: Literal["harmless", "same_result", "duplicates"] = "harmless"
    read_back: ReadBack | None = None
    timeout: float = 30.0
    typical: float = 1.0
    resource: str = "FreeForm"
    is_list: bool = False
    shape: Mapping[str, Any] = field(default_factory=dict)
    noun: Text | None = None
    """What it is about, as a platform groups its operations: Cash book entry."""
    role: str | None = None
    """What Kontor itself may need the action for."""
    moves: Literal["money", "webhook_url"] | None = None
    """What it moves that not every caller may move."""
    money: MoneyInputs | None = None
    """Where it moves money: which inputs say how much and to whom."""
    code: bool = False
    """A module of its own in `actions/` says what cannot be declared."""
    messages: Mapping[str, Text] = field(default_factory=dict)
    refreshes: tuple[str, ...] = ()
    declared: Callable[[str, str], Action | None] | None = field(default=None, repr=False, compare=False)
    """Finds what is declared of a method and path, where its own module builds the request."""
    check_declared: Callable[[Action, Mapping[str, Any], Any, Wire], None] | None = field(
        default=None, repr=False, compare=False
    )
    """Refuses what breaks a rule of the action that declares the called path."""
    check_written_path: Callable[[str, str], None] | None = field(default=None, repr=False, compare=False)
    """Refuses a method and path that may not be written to, where its own module builds the request."""

    @property
    def picked(self) -> Field | None:
        """The input whose dropdown offers what the output is made of; None where the answer itself is the output."""
        pick = self.shape.get("pick")
        return next(field for field in self.inputs if field.name == pick["input"]) if pick else None

    @property
    def picked_along(self) -> tuple[Field, ...]:
        """The other inputs that go into such an output and have a dropdown of their own, which must list them."""
        names = self.shape.get("pick", {}).get("with", ())
        return tuple(field for field in self.inputs if field.name in names and field.lookup)

    @property
    def writes(self) -> bool:
        """Whether it may change something at the service."""
        return self.effect != "read"


@dataclass(frozen=True, slots=True)
class Lookup(Manifest):
    """A list of options for a form field."""

    options: OptionList
    ttl: int = 60


@dataclass(frozen=True, slots=True)
class Trigger(Manifest):
    """What starts a flow."""

    source: Literal["poll", "event"] = "poll"
    poll: Strategy | None = None
    """None for an event, and where the trigger's own module does it (`code`)."""
    shared: Shared | None = None
    event: EventFilter | None = None
    own: bool = False
    """Whether a Kontor host tells of it, not the service."""
    code: bool = False
    usual_interval: int = 300
    least_interval: int = 60
    paid_a_day: int = 0
    """How many paid looks a day may have at most; 0 where looking is free."""
    timeout: float = 30.0
    typical: float = 1.0
    resource: str = "FreeForm"
    is_list: bool = True
    """Whether the polled answer carries a list; otherwise it is one resource."""
    noun: Text | None = None
    """What it is about, as a platform names one thing of the kind: Payment."""
    messages: Mapping[str, Text] = field(default_factory=dict)
    in_order: Template | None = None
    """Names what an item is about, where those about the same thing must be delivered in order."""

    def subject(self, item: Mapping[str, Any]) -> str | None:
        """Return what an item is about; None where the order of deliveries does not matter."""
        about = self.in_order.render(item) if self.in_order is not None else ""
        return about[:MAX_SUBJECT_CHARACTERS] or None

    @property
    def needs_webhook_url(self) -> bool:
        """Whether the service has to call the host for it; what a host tells itself needs no webhook URL."""
        return self.source == "event" and not self.own

    @property
    def each(self) -> Each | None:
        """What it watches one by one where no input names one of them."""
        declared = self.raw.get("poll", {}).get("alarm", {}).get("each")
        return Each(declared["input"], declared["from"], declared["as"], declared["how"]) if declared else None

    def watches_all(self, inputs: Mapping[str, Any]) -> bool:
        """Whether these inputs leave open which one is meant."""
        each = self.each
        return each is not None and each.input not in inputs

    @property
    def events(self) -> tuple[str, ...]:
        """The service's events that can start it; empty for all, and for a poll."""
        return self.event.names if self.event else ()

    @property
    def confirm(self) -> str | None:
        """What is read from the API before an event may fire."""
        return self.event.confirm if self.event else None


@dataclass(frozen=True, slots=True)
class Each:
    """A trigger that asks for one resource at a time: the input that names it, the lookup that lists all, its field."""

    input: str
    lookup: str
    id: str
    how: str
    """Where the lookup knows them from."""


@dataclass(frozen=True, slots=True)
class Shared:
    """How flows share a paid list: the inputs that name a group, a part of it, and a first date."""

    group: str
    part: str
    since: str


def action(tree: Tree, library: Library) -> Action:
    """Reads an action's manifest."""
    back, duration, output = tree.get("read_back"), tree["duration"], tree["output"]
    return Action(
        **_shared(tree, library),
        effect=tree["effect"],
        repeat=tree["repeat"],
        read_back=ReadBack(**{**back, "shows": tuple(back.get("shows", ()))}) if back else None,
        timeout=float(duration["timeout"]),
        typical=float(duration["typical"]),
        resource=output["resource"],
        is_list=output["list"],
        shape=output.get("shape", {}),
        noun=_text(tree["noun"]) if "noun" in tree else None,
        role=tree.get("role"),
        moves=tree.get("moves"),
        money=MoneyInputs(**tree["money"]) if "money" in tree else None,
        code=tree.get("code", False),
        messages=_texts(tree),
        refreshes=tuple(tree.get("refreshes", ())),
    )


def lookup(tree: Tree, library: Library) -> Lookup:
    """Reads a lookup's manifest."""
    return Lookup(**_shared(tree, library), options=OptionList(tree["options"], library.words), ttl=tree["ttl"])


def trigger(tree: Tree, library: Library) -> Trigger:
    """Reads a trigger's manifest."""
    interval = tree.get("interval", {"usual": 300, "least": 60})
    duration = tree.get("duration", {"timeout": 30, "typical": 1})
    poll = tree.get("poll", {})
    return Trigger(
        **_shared(tree, library),
        source=tree["source"],
        poll=strategy(poll, library.states),
        shared=Shared(**poll["shared"]) if "shared" in poll else None,
        event=EventFilter(tree["event"]) if "event" in tree else None,
        own=not set(tree.get("event", {}).get("names", ())).isdisjoint(library.own_events),
        code=poll.get("code", False),
        usual_interval=interval["usual"],
        least_interval=interval["least"],
        paid_a_day=paid_polls_a_day(tree),
        timeout=float(duration["timeout"]),
        typical=float(duration["typical"]),
        resource=tree["output"]["resource"],
        is_list=tree["output"]["list"],
        noun=_text(tree["noun"]) if "noun" in tree else None,
        messages=_texts(tree),
        in_order=Template(path_or_template(tree["in_order"])) if "in_order" in tree else None,
    )


def _shared(tree: Tree, library: Library) -> dict[str, Any]:
    fields = tuple(_field(field, library) for field in tree["inputs"])
    rules = Rules(tree.get("rules", ()), fields, library.file_kinds)
    return {
        "kind": tree["kind"],
        "id": tree["id"],
        "area": tree["area"],
        "title": _text(tree["title"]),
        "description": _text(tree["description"]),
        "summary": _summary(tree),
        "cost": _cost(tree["cost"]),
        "inputs": _with_derived(fields, rules),
        "request": _request(tree.get("request")),
        "sample": tree["sample"],
        "raw": tree,
        "rules": rules,
    }


def _with_derived(fields: Sequence[Field], rules: Rules) -> tuple[Field, ...]:
    return tuple(replace(field, derived=True) if field.name in rules.derived else field for field in fields)


def _text(tree: Tree) -> Text:
    return Text(tree["en"], tree["de"])


def _summary(tree: Tree) -> Text:
    return _text(tree["summary"]) if "summary" in tree else Text(*map(_first_sentence, _text(tree["description"])))


def _first_sentence(text: str) -> str:
    return text.split(". ", 1)[0].removesuffix(".") + "."


def _texts(tree: Tree) -> dict[str, Text]:
    return {name: _text(text) for name, text in tree.get("messages", {}).items()}


def _cost(tree: Tree) -> Cost:
    note = tree.get("note")
    return Cost(**{**tree, "note": _text(note) if note else None})


def _request(tree: Tree | None) -> Request | None:
    if tree is None:
        return None
    paths, answer = tree.get("paths", {}), tree.get("answer", {})
    return Request(
        method=tree["method"],
        path=tree.get("path"),
        by=paths.get("by"),
        choose=paths.get("choose", {}),
        query=tree.get("query", {}),
        quelle=tree.get("quelle", True),
        answer_in=answer.get("in", "data"),
        answer_assumed=answer.get("assumed", False),
        answer_names=tuple(answer.get("names", ())),
        answer_shows=tuple(answer.get("shows", ())),
    )


def _field(tree: Tree, library: Library) -> Field:
    use, offer, format = (
        tree.get("lookup"),
        tree.get("suggest"),
        library.declared_formats.get(tree.get("format", ""), {}),
    )
    plain = {
        name: tree[name]
        for name in ("name", "type", "presence", "format", "default", "example", "open", "min", "max", "max_length")
        if name in tree
    }
    return Field(
        **plain,
        label=_text(tree["label"]),
        help=_text(tree["help"]),
        hint=_text(tree["hint"]) if "hint" in tree else None,
        pattern=f"^{format['pattern']}$" if "pattern" in format else None,
        respelled=bool(format.get("tidy")),
        values=tuple(Choice(item["value"], _text(item["label"])) for item in tree.get("values", ())),
        fields=tuple(_field(member, library) for member in tree.get("fields", ())),
        aliases=tuple(tree.get("aliases", ())),
        currency_field=tree.get("currency_field"),
        lookup=LookupUse(use["id"], use.get("with", {})) if use else None,
        suggest=SuggestUse(offer["id"], offer.get("with", {}), offer.get("fills", {})) if offer else None,
        place=tree.get("in", "none"),
        as_=tree.get("as"),
        wire=tree.get("wire"),
        internal=tree.get("internal", False),
    )
