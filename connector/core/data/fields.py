"""The inputs of a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from connector.core.messages import Text


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
class SuggestUse(LookupUse):
    """A lookup whose options are offered beside a field that takes anything else too; `fills` names further fields."""

    fills: Mapping[str, Literal["label", "hint"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Field:
    """One input of a form."""

    name: str
    type: str
    label: Text
    help: Text
    hint: Text | None = None
    """A few words that stand by it at all times."""
    presence: Literal["required", "optional", "advanced"] = "optional"
    format: str | None = None
    pattern: str | None = None
    """What a text must look like when it is sent, as the format declares it."""
    respelled: bool = False
    """Whether other spellings (blanks, small letters) are accepted and tidied."""
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
    suggest: SuggestUse | None = None
    place: Literal["path", "query", "body", "whole_body", "beside_query", "beside_body", "none"] = "none"
    as_: str | None = None
    wire: str | None = None
    internal: bool = False
    """Filled in by the poll strategy; no form shows it."""
    derived: bool = False
    """A rule derives it from other inputs where it is left out."""

    @property
    def required(self) -> bool:
        """Whether a form cannot be sent without it."""
        return self.needed and not self.derived

    @property
    def needed(self) -> bool:
        """Whether the request cannot be sent without it, whoever fills it in."""
        return self.presence == "required" and self.default is None

    @property
    def asked_pattern(self) -> str | None:
        """The pattern on which a form may insist: none where other spellings are tidied."""
        return None if self.respelled else self.pattern


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Inputs that stand together in a form."""

    label: Text | None
    inputs: tuple[str, ...]
