"""The columns of a list of lines, and what is pasted into them from a spreadsheet. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connector.core.fields import Field
from connector.core.manifest.formats import Format
from connector.core.messages import LANGUAGES, Text
from connector.interfaces.console.form_model import FieldReader

NUMERIC_TYPES = frozenset({"money", "number", "integer"})
SEPARATORS = ("\t", ";", ",")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a grid: a field of the line, or one inside an object of the line."""

    field: Field
    inside: tuple[str, ...]
    """The names of the objects that hold the field."""
    label: Text
    advanced: bool = False

    @property
    def path(self) -> str:
        """The place of the field in its line, with dots."""
        return ".".join((*self.inside, self.field.name))


@dataclass(frozen=True, slots=True)
class Pasted:
    """The lines of a pasted text, each by the path of its columns."""

    lines: tuple[Mapping[str, str], ...]
    left_out: tuple[str, ...] = ()
    """Heads of the text that are no column of the grid."""


def columns_of(fields: Iterable[Field]) -> tuple[Column, ...]:
    """Return the columns of a line; none where a field cannot stand in one cell."""
    found: list[Column] = []
    for field in fields:
        if field.internal:
            continue
        if field.type in ("list", "file") or (field.type == "object" and not field.fields):
            return ()
        is_advanced = field.presence == "advanced"
        if field.type != "object":
            found.append(Column(field, (), field.label, is_advanced))
            continue
        inner = columns_of(field.fields)
        if not inner:
            return ()
        for column in inner:
            label = Text(*(f"{field.label.in_(lang)}: {column.label.in_(lang)}" for lang in LANGUAGES))
            place = (field.name, *column.inside)
            found.append(Column(column.field, place, label, is_advanced or column.advanced))
    return tuple(found)


def read_paste(text: str, columns: Sequence[Column], start: int = 0) -> Pasted:
    """Read the rows of a spreadsheet: by their heads where the first row has some, else from column `start` on."""
    rows = _rows(text, columns)
    heads = [_column_named(cell, columns) for cell in rows[0]] if rows else []
    if _is_head(heads):
        left_out = tuple(cell.strip() for cell, known in zip(rows[0], heads, strict=True) if known is None)
        places: Sequence[Column | None] = heads
        rows = rows[1:]
    else:
        left_out, places = (), columns[start:]
    lines = [
        {column.path: cell.strip() for column, cell in zip(places, row, strict=False) if column is not None}
        for row in rows
    ]
    return Pasted(tuple(line for line in lines if any(line.values())), tuple(one for one in left_out if one))


def _is_head(heads: Sequence[Column | None]) -> bool:
    known = [column for column in heads if column is not None]
    return len(known) * 2 > len(heads) - 1 and bool(known)


def _rows(text: str, columns: Sequence[Column]) -> list[list[str]]:
    """Split by tabs, else by semicolons; by commas only under a row of heads: a comma may stand in an amount."""
    for separator in SEPARATORS:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(map(str.strip, row))]
        if not rows or max(map(len, rows)) < 2:
            continue
        if separator != "," or _is_head([_column_named(cell, columns) for cell in rows[0]]):
            return rows
    return [[line] for line in text.splitlines() if line.strip()]


def _column_named(head: str, columns: Sequence[Column]) -> Column | None:
    """Find a column by its label in either language, or by its name."""
    wanted = _plain(head)
    for column in columns:
        names = (*column.label, *column.field.label, column.field.name, column.path, *column.field.aliases)
        if wanted and wanted in map(_plain, names):
            return column
    return None


def _plain(head: str) -> str:
    return "".join(sign for sign in head.casefold() if sign.isalnum())


class CellReader:
    """Reads the cells of a grid, each as the form's converter will."""

    def __init__(self, columns: Iterable[Column], outer: Iterable[Field], formats: Mapping[str, Format]) -> None:
        outer = tuple(outer)
        self._readers = {column.path: FieldReader(column.field, outer, formats) for column in columns}

    def problem(self, column: Column, text: Any, draft: Mapping[str, Any]) -> Text | None:
        """Return why the cell cannot be sent, if so; `draft` is the whole form's."""
        return self._readers[column.path].problem(text, draft)

    def tidied(self, column: Column, text: str, draft: Mapping[str, Any], lang: str) -> Any:
        """Return a pasted text as the cell shows it; what cannot be read stays as it is."""
        return self._readers[column.path].tidied(text, draft, lang)
