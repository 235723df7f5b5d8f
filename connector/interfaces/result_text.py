"""What people see of a result: the names of its fields and their values, in one language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from connector.core.data import localize
from connector.core.data.fields import Field
from connector.core.data.localize import USUAL_DECIMALS
from connector.core.data.row_parts import PART, Balance, RowParts
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.output_fields import DATE, DATE_TIME, OutputField, label, output_fields
from connector.core.messages import say
from connector.core.values import currencies

EMPTY = "–"
BEFORE = "_previous_"
MONEY, IBAN = "money", "iban"
IDS = frozenset({"id", "uuid"})
"""The types of texts that machines compare and people do not read."""
IBAN_GROUP = 4
NO_PARTS = RowParts({})


class ResultText:
    """Values as people read them; with the library of manifests, names of fields and known values in words too."""

    def __init__(
        self, lang: str, library: Library | None = None, manifest: Action | Trigger | None = None, minus: str = "-"
    ) -> None:
        self._lang, self._library, self._minus = lang, library, minus
        self._inputs: Mapping[str, Field] = {}
        self.fields: tuple[OutputField, ...] = ()
        """The fields of the output; of a list those of one row."""
        self.parts = NO_PARTS
        """What the fields of its rows mean."""
        self._rows = ""
        if manifest is not None and library is not None:
            self.fields = output_fields(manifest, library)
            path = manifest.raw["output"].get("table", {}).get("rows", "")
            self._rows = path.replace("[]", "")
            self.parts = library.row_parts(manifest.resource, path)

    @classmethod
    def of_inputs(cls, lang: str, fields: Iterable[Field], minus: str = "-") -> ResultText:
        """Return the text of the inputs of a run."""
        text = cls(lang, minus=minus)
        text._inputs = dict(_flat(fields, ""))
        return text

    def label(self, path: str) -> str:
        """Return what a field or a part of a row is called, by its path."""
        name = path.rpartition(".")[2].removeprefix(PART)
        field = self._inputs.get(path)
        if field is not None:
            return field.label.in_(self._lang)
        declared = self.field(path)
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
                return self.amount(value, self._decimals(row))
            case int():
                return (
                    self.amount(Decimal(value), self._decimals(row))
                    if self.is_money(path)
                    else self._signed(str(value))
                )
            case datetime():
                return localize.date_time(value if value.tzinfo else value.replace(tzinfo=UTC), self._lang)
            case date():
                return localize.day(value, self._lang)
            case str():
                return self._text(value, path)
            case Mapping() if (balance := self.balance(value)) is not None:
                amount = balance.amount
                number = Decimal(amount) if isinstance(amount, int) and not isinstance(amount, bool) else amount
                return f"{self.value(number, path, row)} {self.side(balance.is_debit)}"
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

    def line(self, row: Mapping[str, Any], columns: Iterable[str]) -> str:
        """Return a row in one line: what people read of these columns, amounts with their currency."""
        currency, words = self.parts.value("currency", row), []
        for name in columns:
            value = self.parts.cell(name, row)
            if value in (None, "", False) or self.is_id(name) or name == self.parts.path("currency"):
                continue
            with_currency = currency and self.is_money(name)
            words.append(
                f"{self.value(value, name, row)} {currency}" if with_currency else self.value(value, name, row)
            )
        return " · ".join(words)

    def amount(self, value: Decimal, decimals: int = USUAL_DECIMALS) -> str:
        """Return an amount."""
        return self._signed(localize.amount(value, self._lang, decimals))

    def side(self, is_debit: bool) -> str:
        """Return the letter of debit or credit."""
        return say("side_debit" if is_debit else "side_credit").in_(self._lang)

    def balance(self, value: Any) -> Balance | None:
        """Return a value as an amount on one side of an account; None where it is none."""
        return self._library.balance(value) if self._library is not None else None

    def is_number(self, value: Any) -> bool:
        """Whether a value is right-aligned."""
        is_plain = isinstance(value, int | Decimal) and not isinstance(value, bool)
        return is_plain or self.balance(value) is not None

    def is_money(self, path: str) -> bool:
        """Whether a field holds money, even if the service sends an integer."""
        field = self.field(path)
        return field is not None and (field.type == MONEY or any(one.type == MONEY for one in field.fields))

    def is_id(self, path: str) -> bool:
        """Whether a field holds what machines compare and people do not read."""
        field = self.field(path)
        return field is not None and field.type in IDS

    def is_iban(self, path: str) -> bool:
        """Whether a field holds an IBAN, which people read in groups of four."""
        field = self.field(path)
        return field is not None and field.type == IBAN

    def is_day(self, path: str) -> bool:
        """Whether a field holds a day or a point in time."""
        field = self.field(path)
        return field is not None and field.format in (DATE, DATE_TIME)

    def field(self, path: str) -> OutputField | None:
        """Return what is declared of the field at a path; of a table's column, in whatever list it stands."""
        wholes = [path, *_within(self._rows, path)]
        return next((found for one in wholes if (found := _found(self.fields, one)) is not None), None)

    def _text(self, value: str, path: str) -> str:
        field = self._inputs.get(path)
        if field is not None:
            shown = localize.text(value, self._lang) if field.type in ("date", "date-time") else value
            return next((choice.label.in_(self._lang) for choice in field.values if choice.value == value), shown)
        fields = [one for name in (path, path.replace(BEFORE, "")) if (one := self.field(name)) is not None]
        words = next((declared.words for declared in fields if declared.words), None)
        if words is None or self._library is None:
            return grouped_iban(value) if self.is_iban(path) else localize.text(value, self._lang)
        return localize.word(value, self._library.words[words], self._lang)

    def _is_plain(self, path: str) -> bool:
        """Whether it is an input that is a number, but no money."""
        field = self._inputs.get(path)
        return field is not None and field.type in ("number", "integer")

    def _decimals(self, row: Mapping[str, Any] | None) -> int:
        """How many decimals the amounts of a row have at least, by its currency."""
        row = row or {}
        currency = self.parts.value("currency", row)
        if currency is None:
            named = (field.currency_field for field in self._inputs.values() if field.currency_field)
            currency = next((row[name] for name in named if row.get(name)), None)
        return decimals_of(currency)

    def _signed(self, text: str) -> str:
        return text.replace("-", self._minus, 1) if text.startswith("-") else text


def decimals_of(currency: Any) -> int:
    """Return the number of decimals of a currency."""
    try:
        return currencies.decimals(str(currency)) if currency else USUAL_DECIMALS
    except (KeyError, ValueError):
        return USUAL_DECIMALS


def grouped_iban(iban: str) -> str:
    """Return an IBAN as people read it, in groups of four."""
    plain = "".join(iban.split())
    return " ".join(plain[at : at + IBAN_GROUP] for at in range(0, len(plain), IBAN_GROUP))


def _found(fields: tuple[OutputField, ...], path: str) -> OutputField | None:
    field = None
    for name in path.split("."):
        field = next((candidate for candidate in fields if candidate.name == name), None)
        fields = field.fields if field is not None else ()
    return field


def _within(rows: str, path: str) -> Iterator[str]:
    """A column's path from the rows of a table outwards: what a row lacks is taken from what holds it."""
    while rows:
        yield f"{rows}.{path}"
        rows = rows.rpartition(".")[0]


def _flat(fields: Iterable[Field], above: str) -> Iterator[tuple[str, Field]]:
    """Yield the fields of a form by dotted path, those of lines too."""
    for field in fields:
        yield f"{above}{field.name}", field
        yield from _flat(field.fields, f"{above}{field.name}.")


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
