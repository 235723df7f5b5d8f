"""The pure logic of a form: drafts, their conversion to inputs, and sums of line items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from connector.core.data import localize
from connector.core.data.fields import Field
from connector.core.errors import InputError
from connector.core.manifest.converters import USUAL_CURRENCY
from connector.core.manifest.formats import Format
from connector.core.manifest.inputs import Inputs
from connector.core.messages import Text
from connector.core.problems import Problem
from connector.core.rules import Rules
from connector.core.values import dates, json
from connector.core.values.money import total
from connector.core.values.written_dates import read_instant
from connector.core.values.written_numbers import read_number

Draft = dict[str, Any]
"""Field name to typed text, bool, bytes, a nested draft, or a list of drafts."""


def empty_draft(fields: Iterable[Field]) -> Draft:
    """Return a draft with the manifest's defaults, and one empty line in required lists."""
    draft: Draft = {}
    for field in visible_fields(fields):
        if field.type == "list":
            draft[field.name] = [empty_draft(field.fields)] if field.presence == "required" else []
        elif field.type == "object" and field.fields:
            draft[field.name] = empty_draft(field.fields)
        elif field.default is not None:
            draft[field.name] = field.default if field.type == "boolean" else str(field.default)
        else:
            draft[field.name] = None
    return draft


def visible_fields(fields: Iterable[Field]) -> list[Field]:
    """The fields that are not internal."""
    return [field for field in fields if not field.internal]


def inputs_of(fields: Iterable[Field], draft: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a draft to inputs: what was filled in, as it was typed. The runtime reads it."""
    inputs: dict[str, Any] = {}
    for field in visible_fields(fields):
        value = _value(field, draft.get(field.name))
        if value is not None and value != "" and value != {}:
            inputs[field.name] = value
    return inputs


def _value(field: Field, value: Any) -> Any:
    if field.type == "list":
        lines = [inputs_of(field.fields, line) for line in value or ()]
        return [line for line in lines if line] or None
    if field.type == "object" and field.fields:
        return inputs_of(field.fields, value or {})
    return value.strip() if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class SumRule:
    """A list whose amounts must equal a form field: `belegzeilen[].betrag` and `betrag`."""

    lines: str
    amount: str
    currency: str | None


@dataclass(frozen=True, slots=True)
class Sum:
    """The current sum of the lines."""

    lines: Decimal
    expected: Decimal | None
    """The total in the form; None if it is missing or no number."""
    unreadable: tuple[int, ...]
    """Line numbers, from 1, whose amount is not a number."""

    @property
    def difference(self) -> Decimal | None:
        """The sum of the lines minus the expected total, exact."""
        return None if self.expected is None else total([self.lines, self.expected.copy_negate()])


def sum_rule_of(fields: Iterable[Field]) -> SumRule | None:
    """Return the sum rule of a form, if it has one."""
    amounts = {field.name: field for field in fields if field.type == "money"}
    for field in fields:
        for inner in field.fields:
            if field.type == "list" and inner.type == "money" and inner.name in amounts:
                return SumRule(field.name, inner.name, amounts[inner.name].currency_field)
    return None


def compute_sum(sum_rule: SumRule, draft: Mapping[str, Any]) -> Sum:
    """Compute the exact sum of the lines."""
    amounts: list[Decimal] = []
    unreadable: list[int] = []
    for index, line in enumerate(draft.get(sum_rule.lines) or (), start=1):
        text = str(line.get(sum_rule.amount) or "").strip()
        amount = _amount(text)
        if amount is not None:
            amounts.append(amount)
        elif text:
            unreadable.append(index)
    expected = _amount(str(draft.get(sum_rule.amount) or "").strip())
    return Sum(total(amounts) if amounts else Decimal(0), expected, tuple(unreadable))


def _amount(text: str) -> Decimal | None:
    try:
        return read_number(text)[0] if text else None
    except Problem:
        return None


def lookup_inputs(field: Field, draft: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the inputs of a field's lookup and the fields they come from."""
    if field.lookup is None:
        return {}, ()
    given: dict[str, Any] = {}
    depends_on: list[str] = []
    for name, source in field.lookup.with_.items():
        if isinstance(source, str) and source.startswith("$"):
            depends_on.append(source[1:])
            value = draft.get(source[1:])
            if value not in (None, ""):
                given[name] = value
        else:
            given[name] = source
    return given, tuple(depends_on)


def missing_for_lookup(lookup_fields: Iterable[Field], given: Mapping[str, Any]) -> list[Field]:
    """Return the lookup's required inputs that are missing."""
    return [field for field in lookup_fields if field.required and field.name not in given]


def draft_of(fields: Iterable[Field], inputs: Mapping[str, Any], lang: str) -> Draft:
    """Return the draft that a form shows for the inputs of an earlier run; files are not kept and stay empty."""
    draft = empty_draft(fields)
    for field in visible_fields(fields):
        value = inputs.get(field.name)
        if value is not None:
            draft[field.name] = _typed(field, value, lang)
    return draft


def _typed(field: Field, value: Any, lang: str) -> Any:
    """Return a value as a person would have typed it."""
    if field.type == "list" and field.fields:
        return [draft_of(field.fields, line, lang) for line in value if isinstance(line, Mapping)]
    if field.type == "object" and field.fields:
        return draft_of(field.fields, value, lang) if isinstance(value, Mapping) else {}
    if field.type == "boolean":
        return bool(value)
    if field.type == "file":
        return None
    if isinstance(value, Mapping | list):
        return json.encode_clean(value).decode()
    if field.type in {"money", "number"} and isinstance(value, int | Decimal):
        text = f"{Decimal(value):f}" if field.type == "number" else f"{_with_cents(Decimal(value)):f}"
        return text.replace(".", ",") if lang == "de" else text
    if field.type in ("date", "date-time"):
        try:
            return written_day(field, value, lang)
        except (ValueError, OverflowError):
            return str(value)
    return str(value)


def written_day(field: Field, value: Any, lang: str) -> str:
    """Return a day or a point in time as a form shows it; read again, it is the same."""
    if field.type == "date":  # the options of a dropdown are days as the service writes them
        return localize.day(dates.day(value), lang) if field.lookup is None else dates.day(value).isoformat()
    moment = dates.instant(value)
    shown = localize.date_time(moment, lang)
    return shown if read_instant(shown) == (moment, "") else dates.iso(moment)


def _with_cents(value: Decimal) -> Decimal:
    """Return an amount with at least two decimals, without rounding."""
    exponent = value.as_tuple().exponent
    return value.quantize(Decimal("0.01")) if isinstance(exponent, int) and exponent > -2 else value


class FieldReader:
    """Reads what stands in one field as the runtime will, so that what does not fit is told at the field."""

    def __init__(self, field: Field, outer: Iterable[Field], formats: Mapping[str, Format]) -> None:
        self._field, fields = field, [replace(field, presence="optional", default=None)]
        currencies = [one for one in outer if one.name == field.currency_field and one.name != field.name]
        self._currency = currencies[0].name if currencies else ""
        self._inputs = Inputs([*fields, *currencies], Rules((), [*fields, *currencies], {}), formats)

    def read(self, text: Any, draft: Mapping[str, Any]) -> Any:
        """Return the value, or raise `InputError`; `draft` is the whole form's."""
        if text in (None, ""):
            return None
        raw = {self._field.name: text}
        if draft.get(self._currency):
            raw[self._currency] = draft[self._currency]
        return self._inputs.clean(raw).get(self._field.name)

    def problem(self, text: Any, draft: Mapping[str, Any]) -> Text | None:
        """Return why it cannot be sent, if so."""
        try:
            self.read(text, draft)
        except InputError as error:
            return error.message
        return None

    def tidied(self, text: Any, draft: Mapping[str, Any], lang: str) -> Any:
        """Return a text as the form shows its value; what cannot be read stays as it is."""
        try:
            value = self.read(text, draft)
        except InputError:
            return text
        match value:
            case date():
                return written_day(self._field, value, lang)
            case Decimal() if self._field.type == "money":
                return localize.money(value, draft.get(self._field.currency_field or "") or USUAL_CURRENCY, lang)
            case Decimal():
                return localize.number(value, lang)
            case None:
                return text
            case _:
                return value


def query_of(inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return checked inputs as they stand in the address of a page."""
    return {name: _in_address(value) for name, value in inputs.items() if not isinstance(value, bytes)}


def _in_address(value: Any) -> str:
    if isinstance(value, date):
        return dates.iso(value) if isinstance(value, datetime) else value.isoformat()
    return value if isinstance(value, str) else json.encode_clean(value).decode()


def draft_of_query(
    fields: Iterable[Field], given: Mapping[str, str], formats: Mapping[str, Format], lang: str
) -> Draft:
    """Return what the address of a page fills in; what cannot be read stays in its field as it was written."""
    draft: Draft = {}
    for field in visible_fields(fields):
        if not given.get(field.name):
            continue
        try:
            value = FieldReader(field, fields, formats).read(given[field.name], given)
        except InputError:
            if not field.fields and field.type not in ("list", "boolean", "file"):
                draft[field.name] = given[field.name]
            continue
        draft |= {field.name: draft_of([field], {field.name: value}, lang)[field.name]}
    return draft
