"""Reads a form's values in JavaScript: for each input an expression that gives its exact value or ends the step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.messages import say
from connector.export.patterns import PATTERNS
from connector.export.zapier.sources import literal

JSON_TEXTS = frozenset({"body"})
"""Free objects that may be nested, so that a form of names and values does not suffice."""
COMPACT = frozenset({"bic", "vat_id"})
UPPER = frozenset({"currency", "country"})
MISFITS = {
    "uuid": "not_a_uuid",
    "bic": "not_a_bic",
    "vat_id": "not_a_vat_id",
    "currency": "not_a_currency",
    "country": "not_a_country",
    "email": "not_an_email",
    "client": "not_a_client",
    "cursor": "not_a_cursor",
    "account_number": "not_an_account_number",
    "public_https_url": "url_not_https",
    "api_path": "not_an_api_path",
}
NO_OTHERS: Mapping[str, str] = {}


class Reader:
    """Writes the expressions. `checks` says whether the form's values are to be checked as well, or only read."""

    def __init__(self, lang: str, *, checks: bool) -> None:
        self._lang = lang
        self._checks = checks

    def all(self, fields: Iterable[Field], keys: Mapping[str, str] = NO_OTHERS) -> str:
        """Lines that make `inputs` of what the form gave; `keys` says which inputs the form calls otherwise."""
        shown = [field for field in fields if not field.internal]
        read = (self._one(field, "given", keys.get(field.name, field.name)) for field in shown)
        inner = ", ".join(f"{field.name}: {value}" for field, value in zip(shown, read, strict=True))
        lines = ["const given = bundle.inputData;", f"const inputs = prune({{ {inner} }}) ?? {{}};"]
        required = {field.name: say("missing", field=field.label).in_(self._lang) for field in shown if field.required}
        if required:
            lines.append(f"need(z, inputs, {literal(required)});")
        return "\n".join(lines)

    def _one(self, field: Field, source: str, key: str) -> str:
        if field.type == "list":
            return self._lines(field, f"{source}.{key}")
        if field.type == "object" and field.fields:
            return (
                "{ "
                + ", ".join(f"{one.name}: {self._one(one, source, f'{key}_{one.name}')}" for one in field.fields)
                + " }"
            )
        read = self._plain(field, f"{source}.{key}")
        return f"({read}) ?? {literal(field.default)}" if field.default is not None else read

    def _lines(self, field: Field, value: str) -> str:
        inner = ", ".join(f"{one.name}: {self._in_line(one, f'{field.name}_{one.name}')}" for one in field.fields)
        if any(one.type == "file" for one in field.fields):
            return f"await Promise.all(lines({value}).map(async (line) => ({{ {inner} }})))"
        return f"lines({value}).map((line) => ({{ {inner} }}))"

    def _in_line(self, field: Field, key: str) -> str:
        """A field of a line. A line holds no lines: of a list within it, one entry stands beside its other fields."""
        if field.type == "list":
            inner = ", ".join(f"{one.name}: {self._one(one, 'line', f'{key}_{one.name}')}" for one in field.fields)
            return f"[{{ {inner} }}]"
        return self._one(field, "line", key)

    def _plain(self, field: Field, value: str) -> str:
        match field.type:
            case "money" | "number":
                long = literal(self._say(field, "zapier_too_many_digits"))
                return self._bounded(field, f"number(z, {value}, {literal(self._say(field, 'not_a_number'))}, {long})")
            case "integer":
                return self._bounded(field, f"whole(z, {value}, {literal(self._say(field, 'not_an_integer'))})")
            case "boolean":
                return f"yes(z, {value}, {literal(self._say(field, 'not_a_boolean'))})"
            case "date":
                return f"day(z, {value}, {literal(self._say(field, 'not_a_date'))})"
            case "date-time":
                return f"moment(z, {value}, {literal(self._say(field, 'not_a_date_time'))})"
            case "file":
                return f"await file(z, {value})"
            case "object":
                return f"pairs(z, {value}, {literal(self._say(field, 'not_an_object'))})"
            case _:
                return self._text(field, f"text({value})")

    def _bounded(self, field: Field, read: str) -> str:
        if not self._checks or (field.min is None and field.max is None):
            return read
        misfit = "too_small" if field.min is not None else "too_large"
        message = self._say(field, misfit, least=field.min, most=field.max)
        return f"between(z, {read}, {literal(field.min)}, {literal(field.max)}, {literal(message)})"

    def _text(self, field: Field, read: str) -> str:
        if not self._checks:
            return read
        if field.type == "enum":
            if field.open:
                return read
            values = [choice.value for choice in field.values]
            message = self._say(field, "not_a_choice", choices=", ".join(values))
            return f"fits(z, {read}, {literal('^(' + '|'.join(values) + ')$')}, {literal(message)})"
        if field.max_length:
            message = self._say(field, "too_long", longest=field.max_length, length="{length}")
            read = f"limit(z, {read}, {field.max_length}, {literal(message)})"
        if field.format == "iban":
            return f"iban(z, {read}, {literal(self._say(field, 'not_an_iban'))})"
        if field.format in MISFITS:
            read = (
                f"compact({read})" if field.format in COMPACT else f"upper({read})" if field.format in UPPER else read
            )
            message = self._say(field, MISFITS[field.format], example=field.example)
            return f"fits(z, {read}, {literal(PATTERNS[field.format])}, {literal(message)})"
        return read

    def _say(self, field: Field, name: str, **values: Any) -> str:
        return f"{field.label.in_(self._lang)}: {say(name, **values).in_(self._lang)}"
