"""The form of what stands beside the manifests, as pydantic models."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import cache, partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter, WithJsonSchema

from connector.core.manifest.form import Count, Filled, Form, Input, Name, Number, Path, Some, Text, Tree, schema_of
from connector.core.manifest.formats import CHECKS, TIDY

FieldType = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]*\??$")]


class ResourceField(Form):
    type: FieldType
    known: Some[Filled] | None = None
    words: Name | None = None
    minimum: Number | None = None
    maximum: Number | None = None
    refers_to: Name | None = None


class Labelled(Form):
    """What follows a label in a text in which several labelled parts stand one after the other."""

    text: Path
    label: Filled
    among: Some[Filled]


Source = Path | Labelled


class BySign(Form):
    """Of money that came in and of money that went out."""

    received: Some[Source]
    paid: Some[Source]


class SideOf(Form):
    """The field that says on which side of an account an amount stands, and its two values."""

    field: Name
    debit: Filled
    credit: Filled


class Always(Form):
    """The same for every row."""

    always: Filled


def _part(says: str) -> Any:
    """A part of a row, with its line in the table of parts."""
    return Field(default=None, description=says)


class Shows(Form):
    """What the fields of a row mean to people: each part is a path, or several of which the first that is not empty."""

    least_keys = 1

    id: Path | None = _part("the number by which the service orders rows")
    day: Path | None = _part("the day of a row, or the point in time; of open items, the day up to which they count")
    number: Path | None = _part("the number by which people know it: of an account or a document")
    name: Path | None = _part("what it is called")
    amount: Path | None = _part("what it comes to")
    currency: Path | Always | None = _part("the currency of all its amounts; `{always: EUR}` where no field says it")
    side: SideOf | None = _part("`{field: f, debit: D, credit: C}`: on which side of an account the amount stands")
    account: Path | None = _part("the account whose row it is")
    balance: Path | None = _part("the balance of the account after it")
    counterparty: Source | Some[Source] | BySign | None = _part(
        "who is on the other side; `{received: […], paid: […]}` where the sign of the amount decides. "
        "`{text: path, label: ABWA, among: [SVWZ, ABWA]}` is what follows `ABWA+` in a text, up to the next label"
    )
    purpose: Source | Some[Source] | None = _part("what it is for")
    debtor: Path | None = _part("true where the other side owes, false where it is owed")
    state: Path | None = _part("how far it has come")


class Resource(Form):
    about: Filled
    fields: dict[Name, FieldType | Annotated[list[FieldType], Field(min_length=1, max_length=1)] | ResourceField]
    from_others: Some[Name] | None = None
    """Fields whose text the bank, a counterparty or somebody else has written: an agent is told that it is data."""
    required: Some[Name] | None = None
    labels: dict[Name, Text] | None = None
    shows: Shows | None = None


class Series(Form):
    """A series of states: their order (equal ones in one list), and which are final."""

    order: Some[Filled | Some[Filled]]
    final: Some[Filled]
    succeeded: Some[Filled] | None = None
    needs_person: Some[Filled] | None = None


class ServiceEvent(Form):
    about: Name
    id: Name
    data: Name
    gone: bool | None = None
    well: Filled | None = None
    news: bool | None = None
    states: Some[Filled] | None = None
    claims: Some[Filled] | None = None
    own: Literal["asked", "ended"] | None = None


def _among(names: Container[str], name: str) -> str:
    if name not in names:
        raise ValueError(f"{name} is not one of {names}")
    return name


Tidy = Annotated[str, AfterValidator(partial(_among, TIDY)), WithJsonSchema({"enum": list(TIDY)})]
Check = Annotated[str, AfterValidator(partial(_among, CHECKS)), WithJsonSchema({"enum": list(CHECKS)})]


class Format(Form):
    tidy: Some[Tidy] | None = None
    pattern: Filled | None = None
    message: Name | None = None
    check: Check | None = None


class Provider(Form):
    """Where the accounting provider's own answer stands, and its words."""

    in_: Name
    status: Name
    messages: Some[Name]
    type: Some[Name]
    text: Some[Name]
    about: Some[Name]
    failed: Some[Filled]
    usual: Some[Filled]


class Proof(Form):
    status: Some[Count] | Filled
    told: Literal["not_sent", "refused"]
    proof: Literal["described", "assumed"]
    sentence: Filled
    limiter: bool | None = None
    code: Filled | None = None
    says: Some[Name] | None = None


class Proofs(Form):
    """What an answer to a write proves. The first row that fits counts; what fits none proves nothing."""

    error: Name
    code: Name
    made: Some[Name]
    parts: dict[Name, Filled]
    patterns: dict[Name, Filled]
    rows: Some[Proof]


class Beginning(Form):
    at: Count
    hex: Filled


class FileKind(Form):
    label: Filled
    begins: Some[Some[Beginning]]
    endings: Some[Filled]


_LIBRARY: Mapping[str, TypeAdapter[Any]] = {
    "resources": TypeAdapter(dict[Name, Resource]),
    "labels": TypeAdapter(dict[Name, Text]),
    "words": TypeAdapter(dict[Name, dict[Name, Text]]),
    "states": TypeAdapter(dict[Name, Series]),
    "events": TypeAdapter(dict[Name, ServiceEvent]),
    "formats": TypeAdapter(dict[Name, Format]),
    "fields": TypeAdapter(dict[Name, Input]),
    "provider": TypeAdapter(Provider),
    "proofs": TypeAdapter(Proofs),
    "file_kinds": TypeAdapter(dict[Name, FileKind]),
}


@cache
def library_schema(part: str) -> Tree:
    """The JSON Schema of one of these files."""
    return schema_of(_LIBRARY[part])
