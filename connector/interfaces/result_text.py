"""What people see of a result: the names of its fields and their values, in one language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from connector.core.data import localize
from connector.core.data.fields import Field
from connector.core.data.localize import USUAL_DECIMALS
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.output_fields import OutputField, label, output_fields
from connector.core.messages import say
from connector.core.values import currencies

EMPTY = "–"
BEFORE = "_previous_"
AMOUNT_FIELDS = frozenset(
    {"amount", "balance", "betrag", "saldo", "totalSaldo", "umsatz"}
    | {"sumDebitoren", "sumKreditoren", "umsatzSoll", "umsatzHaben"}
)
"""Fields that hold money, even if the service sends an integer."""
CURRENCY_FIELDS = ("currency_code", "waehrung")


class ResultText:
    """Values as people read them; with the library of manifests, names of fields and known values in words too."""

    def __init__(
        self, lang: str, library: Library | None = None, manifest: Action | Trigger | None = None, minus: str = "-"
    ) -> None:
        self._lang, self._library, self._minus = lang, library, minus
        self._fields = output_fields(manifest, library) if manifest is not None and library is not None else ()
        self._inputs: Mapping[str, Field] = {}

    @classmethod
    def of_inputs(cls, lang: str, fields: Iterable[Field], minus: str = "-") -> ResultText:
        """Return the text of the inputs of a run."""
        text = cls(lang, minus=minus)
        text._inputs = dict(_flat(fields, ""))
        return text

    def label(self, path: str) -> str:
        """Return what a field is called, by its path."""
        name = path.rpartition(".")[2]
        field = self._inputs.get(path)
        if field is not None:
            return field.label.in_(self._lang)
        declared = self._field(path)
        if declared is not None:
            return declared.label.in_(self._lang)
        return name if self._library is None or not name else label(name, self._library).in_(self._lang)

    def labels(self, paths: Iterable[str]) -> list[str]:
        """Return the heads of columns; those that would be equal are told apart by what they belong to."""
        paths = list(paths)
        names = [self.label(path) for path in paths]
        return [
            f"{self.label(path.rpartition('.')[0])}: {name}" if names.count(name) > 1 and "." in path else name
            for path, name in zip(paths, names, strict=True)
        ]

    def value(self, value: Any, path: str = "", row: Mapping[str, Any] | None = None) -> str:
        """Return the value of a field of a row as text."""
        match value:
            case None | "":
                return EMPTY
            case bool():
                return localize.boolean(value, self._lang)
            case Decimal() if self._is_plain(path):
                return self._signed(localize.number(value, self._lang))
            case Decimal():
                return self.amount(value, decimals_of(row or {}))
            case int():
                is_money = path.rpartition(".")[2] in AMOUNT_FIELDS
                return self.amount(Decimal(value), decimals_of(row or {})) if is_money else self._signed(str(value))
            case datetime():
                return localize.date_time(value if value.tzinfo else value.replace(tzinfo=UTC), self._lang)
            case date():
                return localize.day(value, self._lang)
            case str():
                return self._text(value, path)
            case Mapping() if has_side(value):
                side = say(f"side_{str(value['sollHabenKennzeichen']).lower()}").in_(self._lang)
                return f"{self.value(value['betrag'], 'betrag', row)} {side}"
            case Mapping():
                parts = (
                    f"{self.label(_below(path, key))}: {self.value(item, _below(path, key), value)}"
                    for key, item in value.items()
                    if item is not None
                )
                return ", ".join(parts) or EMPTY
            case list() | tuple():
                return ", ".join(self.value(item, path) for item in value) or EMPTY
            case _:
                return str(value)

    def amount(self, value: Decimal, decimals: int = USUAL_DECIMALS) -> str:
        """Return an amount."""
        return self._signed(localize.amount(value, self._lang, decimals))

    def _text(self, value: str, path: str) -> str:
        field = self._inputs.get(path)
        if field is not None:
            shown = localize.text(value, self._lang) if field.type in ("date", "date-time") else value
            return next((choice.label.in_(self._lang) for choice in field.values if choice.value == value), shown)
        fields = (self._field(name) for name in (path, path.replace(BEFORE, "")))
        words = next((declared.words for declared in fields if declared is not None and declared.words), None)
        if words is None or self._library is None:
            return localize.text(value, self._lang)
        return localize.word(value, self._library.words[words], self._lang)

    def _is_plain(self, path: str) -> bool:
        """Whether it is an input that is a number, but no money."""
        field = self._inputs.get(path)
        return field is not None and field.type in ("number", "integer")

    def _field(self, path: str) -> OutputField | None:
        fields, field = self._fields, None
        for name in path.split("."):
            field = next((candidate for candidate in fields if candidate.name == name), None)
            fields = field.fields if field is not None else ()
        return field

    def _signed(self, text: str) -> str:
        return text.replace("-", self._minus, 1) if text.startswith("-") else text


def decimals_of(row: Mapping[str, Any]) -> int:
    """Return the number of decimals of a row's currency."""
    code = next((row[name] for name in CURRENCY_FIELDS if row.get(name)), None)
    try:
        return currencies.decimals(str(code)) if code else USUAL_DECIMALS
    except (KeyError, ValueError):
        return USUAL_DECIMALS


def is_number(value: Any) -> bool:
    """Whether a value is right-aligned."""
    return (isinstance(value, int | Decimal) and not isinstance(value, bool)) or has_side(value)


def has_side(value: Any) -> bool:
    """Whether the value is a ledger balance: an amount with debit or credit side."""
    return isinstance(value, Mapping) and value.get("sollHabenKennzeichen") in {"SOLL", "HABEN"} and "betrag" in value


def _flat(fields: Iterable[Field], above: str) -> Iterator[tuple[str, Field]]:
    """Yield the fields of a form by dotted path, those of lines too."""
    for field in fields:
        yield f"{above}{field.name}", field
        yield from _flat(field.fields, f"{above}{field.name}.")


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
