"""The runtime's results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic

from connector.core.messages import Text
from connector.core.values import json

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Output = TypeVar("Output", covariant=True, default=Any)
else:
    from typing import TypeVar

    Output = TypeVar("Output", covariant=True)

WAITS = "awaiting_approval"


class Readable(ABC):
    """Allows reading attributes as keys: `result["output"]`, and writing it as JSON."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Return it as the public interfaces show it; amounts are exact, so use `to_json` to write it."""

    def to_json(self) -> str:
        """Return it as JSON text, with amounts as exact numbers."""
        return json.encode_clean(self.as_dict()).decode()

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None


@dataclass(frozen=True, slots=True)
class Credits(Readable):
    """The cost, and the last reported balance."""

    cost: Decimal
    balance: Decimal | None
    told: bool = field(default=False, compare=False)
    """Whether the answer itself told the balance, so that it is worth keeping."""
    state: str | None = None
    """Of a payment's credits: `reserved`, then `charged` when it settles or `expired` when it fails."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        document: dict[str, Any] = {"cost": self.cost, "balance": self.balance}
        return {**document, "state": self.state} if self.state else document


@dataclass(frozen=True, slots=True)
class Result(Readable, Generic[Output]):
    """The result of an action."""

    action: str
    output: Output
    credits: Credits
    replayed: bool = False
    dry_run: bool = False
    run: str | None = None
    """The id of the run; none for reads and dry runs."""
    warnings: tuple[Text, ...] = ()
    expires_at: datetime | None = None
    """Until when it waits for the approval of another person; None: it does not."""

    @staticmethod
    def waiting(action: str, run: str, expires_at: datetime) -> Result[Any]:
        """Return the result of a write that waits for approval."""
        return Result(action, None, Credits(Decimal(0), None), run=run, expires_at=expires_at)

    def with_output(self, output: Any) -> Result[Any]:
        """Return the same result, its output in another form."""
        return replace(self, output=output)

    @property
    def waits(self) -> bool:
        """Whether nothing was sent yet, because another person must approve it."""
        return self.expires_at is not None

    def as_dict(self, lang: str = "en") -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        if self.expires_at is not None:
            until = self.expires_at.isoformat(timespec="seconds")
            waiting = {"ok": True, "action": self.action, "state": WAITS, "run": self.run, "expires_at": until}
            return waiting | ({"warnings": [one.in_(lang) for one in self.warnings]} if self.warnings else {})
        document: dict[str, Any] = {
            "ok": True,
            "action": self.action,
            "output": dump(exclude_unset=True) if (dump := getattr(self.output, "model_dump", None)) else self.output,
            "credits": self.credits.as_dict(),
            "replayed": self.replayed,
            "run": self.run,
            "warnings": [warning.in_(lang) for warning in self.warnings],
        }
        return {**document, "dry_run": True} if self.dry_run else document


@dataclass(frozen=True, slots=True)
class Option(Readable):
    """One option of a dropdown."""

    value: str
    label: str
    hint: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, slots=True)
class Options(Readable):
    """The options of a dropdown in English, and whether they came from the cache."""

    options: tuple[Option, ...]
    cached: bool = False
    next: str | None = None
    """Behind which value further options follow; None: these are the last."""
    write: Callable[[str], tuple[Option, ...]] | None = field(default=None, compare=False, repr=False)
    """Writes them in another language; None where all languages read the same."""
    _written: dict[str, Options] = field(default_factory=dict, compare=False, repr=False)

    def in_(self, lang: str) -> Options:
        """Return them in a language; the same object each time, so that its encoding can be cached."""
        if self.write is None or lang != "de":
            return self
        if lang not in self._written:
            self._written[lang] = Options(self.write(lang), self.cached)
        return self._written[lang]

    def __iter__(self) -> Any:
        return iter(self.options)

    def __len__(self) -> int:
        return len(self.options)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        document = {"ok": True, "options": [option.as_dict() for option in self.options], "cached": self.cached}
        return document if self.next is None else {**document, "next": self.next}
