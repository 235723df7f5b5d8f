"""The form of a manifest, as pydantic models: they read it, and whatever else says it is made from them.

That is `manifests/manifest.schema.json` (for editors, and for `check.py`, which finds file and line), the
tables of `docs/vocabulary.md`, and types of the TypeScript core. Imported only where manifests are compiled or checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    Tag,
    TypeAdapter,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

Tree = dict[str, Any]


class Form(BaseModel):
    """An object with these keys and no others. What cannot be said of a single key, class variables say."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, defer_build=True, alias_generator=lambda name: name.rstrip("_")
    )
    one_of: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Exactly one of these groups of keys is there, whole."""
    together: ClassVar[tuple[str, ...]] = ()
    """All of these keys are there, or none."""
    least_keys: ClassVar[int] = 0
    """So many keys are there at least."""
    needed: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """A key, its value, and the key that is needed then."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        fields = type(self).model_fields
        if any(getattr(self, name) is None and fields[name].annotation is not Any for name in self.model_fields_set):
            raise ValueError("a key without a value")
        given = {name.rstrip("_") for name in self.model_fields_set}
        if self.one_of and sum(given.issuperset(group) for group in self.one_of) != 1:
            raise ValueError(f"exactly one of {self.one_of}")
        if 0 < len(given.intersection(self.together)) < len(self.together):
            raise ValueError(f"all of {self.together}, or none")
        if len(given) < self.least_keys:
            raise ValueError(f"at least {self.least_keys} keys")
        for key, wanted in self.needed.items():
            if wanted.get(getattr(self, key), key) not in given:
                raise ValueError(f"{wanted[getattr(self, key)]} is missing")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        reference = handler(core)
        schema = handler.resolve_ref_schema(reference)
        if cls.one_of:
            schema["oneOf"] = [{"required": list(group)} for group in cls.one_of]
        if cls.together:
            pairs = {name: [other for other in cls.together if other != name] for name in cls.together}
            schema["dependentRequired"] = pairs
        if cls.least_keys:
            schema["minProperties"] = cls.least_keys
        if cls.needed:
            schema["allOf"] = [
                {"if": {"properties": {key: {"const": value}}}, "then": {"required": [other]}}
                for key, wanted in cls.needed.items()
                for value, other in wanted.items()
            ]
        return reference


T = TypeVar("T")
Some = Annotated[list[T], Field(min_length=1)]
Filled = Annotated[str, StringConstraints(min_length=1)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{2,47}$")]
Path = Annotated[
    str,
    StringConstraints(pattern=r"^@?[A-Za-z_][A-Za-z0-9_]*(\[\])?(\.[A-Za-z_][A-Za-z0-9_]*(\[\])?)*$"),
    Field(description="Names joined by dots; [] behind a name means each item of that list."),
]
ApiPath = Annotated[str, StringConstraints(pattern="^/v2/")]
Count = Annotated[int, Field(ge=0)]
Number = int | float
Seconds = Annotated[Number, Field(gt=0)]
Value = str | bool | int | float
Yes = Literal[True]
Template = Annotated[
    Filled | Some[Filled],
    Field(title="Template", description="Text with {placeholders} and [sections], or a list of these."),
]
_Met = Annotated[dict[Path, Value | Some[Value]], Field(min_length=1)]
Condition = Annotated[
    _Met | Some[_Met],
    Field(title="Condition", description='Paths with a value, a list of values, or "*" for any.'),
]


class Text(Form):
    """One sentence in both languages."""

    en: Filled
    de: Filled


# Rules


class Requires(Form):
    field: Name
    needs: Annotated[dict[Name, Value], Field(min_length=1)]


class Sum(Form):
    of: Path
    equals: Name
    derive: bool | None = None
    currency: Name | None = None


class Range(Form):
    least_keys = 2

    field: Name
    above: Number | None = None
    least: Number | None = None
    below: Number | None = None
    most: Number | None = None


class Equals(Form):
    field: Name
    value: Value


class Charset(Form):
    least_keys = 2

    fields: Some[Name]
    ranges: Some[Annotated[str, StringConstraints(pattern="^[0-9A-F]{4,6}-[0-9A-F]{4,6}$")]] | None = None
    signs: Filled | None = None


class Pattern(Form):
    one_of = ("match",), ("not",)

    field: Path
    match: Filled | None = None
    not_: Filled | None = None


class Digits(Form):
    field: Name
    length: Name
    longer: Count | None = None


class AtMostOne(Form):
    each: Name
    where: Name


class File(Form):
    each: Name
    content: Name
    name: Name
    kinds: Some[Name]
    most_mb: int


def _rule(example: str, says: str, reasons: str) -> Any:
    """A rule, with its line in the table of rules."""
    return Field(default=None, description=says, examples=[example], json_schema_extra={"reasons": reasons})


class Rule(Form):
    """One rule, with its own words by reason where it has some; warn makes it a warning."""

    any_of: Some[Name] | None = _rule(
        "[a, b]", "at least one of these inputs is given", "`missing`: labels; names the first field"
    )
    requires: Requires | None = _rule(
        "{field: a, needs: {b: value}}",
        "`a` only together with this value of `b`",
        "`other`: label, other (label of b), value, given (choices by their label; empty when absent)",
    )
    order: Annotated[list[Name], Field(min_length=2, max_length=2)] | None = _rule(
        "[a, b]", "date `a` is not after date `b`", "`reversed`: first_label, first, second_label, second, days"
    )
    first_of_month: Name | None = _rule("a", "the date is the first of a month", "`other_day`: label, given, meant")
    not_past: Name | None = _rule(
        "a",
        "the date is today in Berlin, or later. A key that was sent before is replayed even so",
        "`past`: label, given, today",
    )
    sum: Sum | None = _rule(
        "{of: path, equals: a, derive: true, currency: c}",
        "the amounts at the path add up to `a`, exactly; with `derive`, `a` may be left out and is the sum",
        "`differs`, `sign`: label, count, sum, total, difference (no sign), currency, and for `sign` line: the first "
        "line whose other sign would make it right. Amounts have at least two decimals and are written in the language "
        "of the sentence, as days are",
    )
    not_zero: Path | None = _rule("path", "the amount is not 0", "`zero`: label, line")
    range: Range | None = _rule(
        "{field: a, above: 0, most: 9}",
        "bounds: `above`, `least` (also equal), `below`, `most` (also equal)",
        "`too_small`, `too_large`: label, value, limit, difference",
    )
    equals: Equals | None = _rule("{field: a, value: v}", "the input is this value", "`other`: label, given, value")
    charset: Charset | None = _rule(
        '{fields: [a], ranges: ["0020-007E"], signs: "€"}',
        "every character is in a listed range of code points or among the signs",
        "`invisible`: label, position, code (`U+000A`); `outside`: label, sign, position",
    )
    pattern: Pattern | None = _rule(
        "{field: a, match: re}` or `{field: a, not: re}",
        "the text contains, or does not contain, the expression (a form that both languages read)",
        "`misfit`: label",
    )
    digits: Digits | None = _rule(
        "{field: a, length: b, longer: 1}",
        "a number of as many digits as input `b` says, or up to `longer` more, not beginning with 0",
        "`letters`, `first`: label, number; `short`, `long`: label, number, digits, length, longest, difference",
    )
    at_most_one: AtMostOne | None = _rule(
        "{each: list, where: flag}",
        "the flag is set in one line at most",
        "`several`: label (of the flag), first, line",
    )
    file: File | None = _rule(
        "{each: list, content: c, name: n, kinds: [pdf], most_mb: 10}",
        "the file begins like one of these kinds, its name ends accordingly, and it is not too large",
        "`too_large`: line, file, size, limit, excess; `unknown_kind`: line, file, kinds; `misnamed`: line, file, "
        "kind, endings",
    )
    words: dict[Name, Text] | None = None
    warn: bool | None = None


RULES = tuple(name for name in Rule.model_fields if name not in ("words", "warn"))
Rule.one_of = tuple((name,) for name in RULES)


# What becomes of an answer


class Entries(Form):
    as_: Name
    named: Some[Name]
    having: Name


class Picked(Form):
    input: Name
    by: Name
    with_: Some[Name] | None = None


class Shape(Form):
    """What becomes of an answer that is not simply the list or the object."""

    least_keys = 1
    together = ("first_of", "as")

    first_of: Some[Name] | None = Field(
        default=None,
        examples=["[webhook_url, url], as: webhook_url"],
        description="the first of these keys in the object, or the bare text; null when the text is empty or the "
        "object is; no such key: `bad_reply`",
    )
    as_: Name | None = None
    else_answer: bool | None = Field(
        default=None,
        examples=["true"],
        description="what cannot be read, and a `first_of` that is null, becomes `{answer: …}` instead of an error",
    )
    entries: Entries | None = Field(
        default=None,
        examples=["{as: area, named: [area, bereich], having: status}"],
        description="`{items}`: one row for each entry of an object (its key as `area`, entries without `having` left "
        "out) or of a list (named by the first of `named`, else numbered from 1)",
    )
    wrap: Name | None = Field(
        default=None,
        examples=["bezeichnung"],
        description="`{items}`: a plain text in the list becomes an object with it under that name",
    )
    pick: Picked | None = Field(
        default=None,
        examples=["{input: bezeichnung, by: bezeichnung, with: [document_type]}"],
        description="the first item of the list whose field `by` is the input's value, and these other inputs with it, "
        "each of which must be in the list of its own dropdown if it has one (a list that cannot be read gives a "
        "warning); none: `not_found` (`pick_absent`). Where the list that filled the input's dropdown is still cached, "
        "nothing is asked; otherwise a warning says what asking cost. Packages without Kontor's core leave such an "
        "action out",
    )
    keep: Some[Name] | None = Field(
        default=None,
        examples=["[ledgerAntwort]"],
        description="the object, and beside it these keys of the envelope",
    )


# Options


class First(Form):
    first: Condition


class Years(Form):
    from_: int
    to: int


class OptionsSpec(Form):
    """How the rows of an answer, of a table or of years become options."""

    value: Filled = Field(description="path or alternatives (`id\\|code`); an item without one is left out")
    label: Template = Field(
        description="a template, as `hint` is; a text without braces is a path. An empty label is the value"
    )
    hint: Template | None = Field(default=None, description='a second line beside the label; "" when empty')
    wrap: Name | None = Field(
        default=None,
        examples=["name"],
        description="a plain text in the list is an object with it under that name",
    )
    distinct: bool | None = Field(
        default=None,
        examples=["true"],
        description="items of the same value are one; of each field the first that is not empty",
    )
    sort: Some[Path | First] | None = Field(
        default=None,
        description="a list of keys: `{first: {status: connected}}` (those that meet the condition first), or a path, "
        "`label`, `value`: as text in lower case, empty ones last. Without it the service's order",
    )
    table: Literal["currencies"] | Some[dict[str, Any]] | None = Field(
        default=None,
        examples=["name"],
        description="the rows are a table of Kontor (`currencies`: code, name, unit) or a list written here; no "
        "request",
    )
    years: Years | None = Field(
        default=None,
        examples=["{from: 0, to: -4}"],
        description="the rows are calendar years relative to today (Berlin), in that order: `year`, `start`, `end`; no "
        "request",
    )


# Polls


class Dated(Form):
    """When a row came in, and its own date."""

    came: Name
    made: Name


class Wait(Dated):
    when: Condition
    days: Count
    unless: Name | None = None


class Skip(Form):
    when: Condition
    unless: Name | None = None


class Late(Dated):
    as_: Name
    days: Count


class Reread(Form):
    days: Count
    since: Name


class Recent(Form):
    """The field that says when a row came in, and the input that reads from a day on."""

    came: Name
    since: Name


class ById(Form):
    after: Name
    wait: Wait | None = None
    skip: Skip | None = None
    late: Late | None = None
    look_back: Reread | None = None
    recent: Recent | None = None


class Progress(Form):
    after: Name
    field: Name
    states: Name
    previous: Name
    only: Name | None = None
    recent: Recent | None = None


class Longer(Form):
    when: Condition
    days: Count


class WatchedField(Form):
    one_of = ("short",), ("mark",)

    short: dict[Name, str] | None = None
    tell: dict[Name, Filled] | None = None
    mark: Annotated[str, StringConstraints(min_length=1, max_length=1)] | None = None


class Watch(Dated):
    after: Name
    since: Name
    days: Name
    longer: Longer
    change: Name
    fields: Annotated[dict[Name, WatchedField], Field(min_length=2, max_length=2)]


class Seen(Form):
    order: Path


class Below(Form):
    of: Some[Path]
    input: Name
    as_: Name


class Within(Form):
    date: Path
    input: Name
    as_: Name


class Each(Form):
    """What is watched one by one where no input names one: input, lookup that lists all, and their field."""

    input: Name
    from_: Id
    as_: Name
    how: Name


class AlarmSpec(Form):
    one_of = ("below", "key"), ("within",), ("when", "clear", "key")

    id: Template
    below: Below | None = None
    within: Within | None = None
    when: Condition | None = None
    clear: Condition | None = None
    key: Template | None = None
    each: Each | None = None


class Shared(Form):
    group: Name
    part: Name
    since: Name


class Poll(Form):
    """One strategy; shared where flows on one group share a paid list."""

    one_of = ("by_id",), ("progress",), ("watch",), ("seen",), ("alarm",), ("code",)

    by_id: ById | None = None
    progress: Progress | None = None
    watch: Watch | None = None
    seen: Seen | None = None
    alarm: AlarmSpec | None = None
    code: Yes | None = None
    shared: Shared | None = None


# Events


class At(Form):
    at: Path | Some[Path]
    compact: bool | None = None


class NamesOf(Form):
    names_of: Path


class ValuesOf(Form):
    values_of: Path
    named: Name | None = None


class EventSpec(Form):
    """The service's events that start it, what their data must say, and where filters are compared."""

    names: list[Filled]
    when: Condition | None = None
    confirm: Literal["payment"] | None = None
    filters: dict[Name, Path | Some[Path] | At | NamesOf | ValuesOf] | None = None


# Requests and inputs

Place = Literal["path", "query", "body", "whole_body", "beside_query", "beside_body", "none"]


class Paths(Form):
    """Where one input decides the path."""

    by: Name
    choose: dict[Name, ApiPath]


class Envelope(Form):
    """How the answer is wrapped: under a key, or `body`."""

    in_: Name
    assumed: bool | None = None
    names: list[Name] | None = Field(
        default=None,
        description="what a successful answer to a write names of what was made; one with none of it proves nothing",
    )
    shows: list[Name] | None = Field(
        default=None,
        description="the inputs that it shows as they were sent; one that shows another is about another write",
    )


class InputsPlace(Form):
    """Where those inputs go that do not say it themselves."""

    in_: Place
    wire: Filled | None = None


class Request(Form):
    one_of = ("path",), ("paths",)

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: ApiPath | None = None
    paths: Paths | None = None
    query: dict[str, str] | None = None
    quelle: bool | None = Field(
        default=None, description="False where the service takes no label of the calling source."
    )
    answer: Envelope | None = None
    inputs: InputsPlace | None = None


class Choice(Form):
    value: str
    label: Text


class LookupUse(Form):
    id: Id
    with_: dict[Name, str | bool] | None = None


class SuggestUse(Form):
    """A lookup whose options a form offers beside the field, in which anything else can be typed too."""

    id: Id
    with_: dict[Name, str | bool] | None = None
    fills: dict[Name, Literal["label", "hint"]] | None = Field(
        default=None,
        examples=["{creditor_name: label}"],
        description="other inputs that a chosen option fills: with its label, without the value where that ends it, "
        "or with its hint",
    )


class _FieldParts(Form):
    """What an input may say, whether it stands here or is taken from the shared ones."""

    format: Name | None = None
    hint: Text | None = Field(
        default=None, description="A few words that stand by the field at all times, where they prevent an error."
    )
    presence: Literal["required", "optional", "advanced"] | None = None
    default: Any = None
    example: Any = None
    values: Some[Choice] | None = None
    open: bool | None = None
    fields: Some[Input] | None = None
    aliases: Some[Filled] | None = None
    min: Number | None = None
    max: Number | None = None
    max_length: Annotated[int, Field(ge=1)] | None = None
    currency_field: Name | None = None
    lookup: LookupUse | None = None
    suggest: SuggestUse | None = None
    in_: Place | None = None
    as_: Filled | None = None
    wire: Filled | None = None
    internal: bool | None = None


class Input(_FieldParts):
    needed = {"type": {"enum": "values", "list": "fields"}}

    name: Annotated[str, StringConstraints(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")]
    type: Literal[
        "string", "number", "money", "integer", "boolean", "date", "date-time", "enum", "object", "list", "file"
    ]
    label: Text
    help: Text


class SharedInput(_FieldParts):
    """One of `manifests/fields.yaml`, with what is different here."""

    use: Name
    label: Text | None = None
    help: Text | None = None


def _kind_of_input(given: Any) -> str:
    """The key that tells which form an input has."""
    shared = "use" in given if isinstance(given, Mapping) else isinstance(given, SharedInput)
    return "use" if shared else "name"


AnyInput = Annotated[Annotated[Input, Tag("name")] | Annotated[SharedInput, Tag("use")], Discriminator(_kind_of_input)]


class Group(Form):
    """Inputs that stand together in a form, in this order; a group without a label follows the one before."""

    label: Text | None = None
    inputs: Some[Name]


# Manifests


class Cost(Form):
    """Credits: for the call, when it only fills a dropdown, whether charged at settlement, whether only assumed."""

    credits: Count
    dropdown: Count | None = None
    settles_later: bool | None = None
    assumed: bool | None = None
    note: Text | None = None


class Duration(Form):
    """Seconds: what people should expect, and when to give up on one answer."""

    typical: Seconds
    timeout: Seconds


class Table(Form):
    """The rows of an output that is no list; a column that a row lacks is taken from what holds the row."""

    rows: str = Field(description="Lists inside lists: a[].b[].")
    columns: Some[Filled]
    group: Some[Filled] | None = None


class Output(Form):
    resource: str = Field(description="Of manifests/resources; FreeForm for none.")
    list_: bool
    shape: Shape | None = None
    view: Literal["table", "open_items", "trial_balance", "balance_over_time"] | None = None
    columns: list[Filled] | None = None
    table: Table | None = None


class ErrorCase(Form):
    kind: Filled
    when: Text


class Deprecated(Form):
    since: Filled
    use: Id | None = None


class MoneyInputs(Form):
    amount: Name
    currency: Name
    payee: Name
    payee_name: Name | None = None
    account: Name | None = None


class ReadBack(Form):
    """The list in which a write can be found again, and the marks in it by which it is known."""

    action: Id
    key_field: Name
    key_name: Name
    digest_name: Name
    one: Id | None = Field(default=None, description="The action that reads one of its rows.")
    made: Name | None = Field(default=None, description="The field of a row that says when it was made.")
    since: Name | None = Field(default=None, description="The input of the list that leaves out earlier days.")
    most: Name | None = Field(default=None, description="The input of the list that bounds how many rows it shows.")
    shows: list[Name] | None = Field(default=None, description="The inputs that a row shows as they were sent.")


class Interval(Form):
    """Seconds between polls, and how many of them may be paid for in a day."""

    usual: Count
    least: Count
    paid_a_day: Count | None = None


Role = Literal[
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
]


class _Manifest(Form):
    kind: Any
    id: Id
    area: Literal["ledger", "banking", "mobility", "any"]
    title: Text
    description: Text
    cost: Cost
    inputs: list[AnyInput]


class _Shown(_Manifest):
    """What people choose: actions and triggers."""

    output: Output
    aliases: Some[Filled] | None = Field(
        default=None, description="Further words that people search for, in any language."
    )
    noun: Text | None = Field(default=None, description="What it is about, as a platform groups its operations.")
    summary: Text | None = Field(
        default=None,
        description="What it does in one short sentence; without it, the first sentence of the description.",
    )
    groups: Some[Group] | None = Field(
        default=None,
        description="How a form of it is divided: inputs that are not advanced, each once.",
    )
    rules: Some[Rule] | None = None
    errors: Some[ErrorCase] | None = None
    messages: dict[Name, Text] | None = None
    deprecated: Deprecated | None = None


class Action(_Shown):
    kind: Literal["action"]
    effect: Literal["read", "create", "update"]
    repeat: Literal["harmless", "same_result", "duplicates"]
    duration: Duration
    sample: dict[str, Any] | list[Any]
    role: Role | None = None
    moves: Literal["money", "webhook_url"] | None = None
    money: MoneyInputs | None = None
    code: Yes | None = None
    request: Request | None = None
    read_back: ReadBack | None = None
    refreshes: Some[Id] | None = None


class Lookup(_Manifest):
    kind: Literal["lookup"]
    options: OptionsSpec
    ttl: Annotated[int, Field(ge=1)]
    sample: Some[Any]
    role: Role | None = None
    request: Request | None = None


class _Trigger(_Shown):
    kind: Literal["trigger"]
    sample: Some[Any]
    duration: Duration | None = None
    in_order: Template | None = None


class PollTrigger(_Trigger):
    source: Literal["poll"]
    interval: Interval
    poll: Poll
    request: Request | None = None


class EventTrigger(_Trigger):
    source: Literal["event"]
    event: EventSpec


Manifest = Annotated[
    Action | Lookup | Annotated[PollTrigger | EventTrigger, Discriminator("source")], Discriminator("kind")
]


_MANIFEST: TypeAdapter[Form] = TypeAdapter(Manifest)


def read(tree: Any, shared: Mapping[str, Tree]) -> Tree:
    """A manifest as written, with its shared inputs, and where each input goes, filled in.

    Raises `pydantic.ValidationError` for what is no manifest, `KeyError` for a shared input that does not exist.
    """
    manifest: Tree = _MANIFEST.validate_python(tree).model_dump(by_alias=True, exclude_unset=True)
    where = manifest["request"].pop("inputs", {}) if "request" in manifest else {"in": "none"}
    manifest["inputs"] = [_filled(field, shared, where) for field in manifest["inputs"]]
    return manifest


def _filled(field: Tree, shared: Mapping[str, Tree], where: Tree) -> Tree:
    whole = {**shared[field.pop("use")], **field} if "use" in field else field
    return whole if "in" in whole else {**where, **whole}


class _AsSchema(GenerateJsonSchema):
    """Plain JSON Schema: what may be left out is not null, names are checked, unions say which form is meant."""

    def nullable_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        schema_of_dict = super().dict_schema(schema)
        for pattern, values in schema_of_dict.pop("patternProperties", {}).items():  # which would let other names pass
            schema_of_dict |= {"propertyNames": {"pattern": pattern}, "additionalProperties": values}
        return schema_of_dict

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        forms = {str(tag): self.generate_inner(form) for tag, form in schema["choices"].items()}
        key = schema["discriminator"]
        if callable(key):  # the forms are told by the key that their tag names
            first, second = forms
            return {"if": {"required": [second]}, "then": forms[second], "else": forms[first]}
        return {
            "type": "object",
            "required": [key],
            "properties": {key: {"enum": list(forms)}},
            "allOf": [
                {"if": {"required": [key], "properties": {key: {"const": tag}}}, "then": form}
                for tag, form in forms.items()
            ],
        }


def schema_of(form: TypeAdapter[Any]) -> Tree:
    """The JSON Schema (draft 2020-12) of a form."""
    return form.json_schema(schema_generator=_AsSchema)


@cache
def manifest_schema() -> Tree:
    """The JSON Schema of a manifest."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://kontor.invalid/manifest.schema.json",
        "title": "Kontor manifest",
        **schema_of(_MANIFEST),
    }
