"""The rows of a result, as its manifest declares them: columns, which of them are numbers, groups. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from connector.core.data.row_parts import RowParts
from connector.core.manifest.model import Action, Trigger
from connector.interfaces.result_text import ResultText

MAX_COLUMNS = 7
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    """What stands in the columns, and in those that a group has in common."""
    sources: tuple[Row, ...]
    """The same rows whole, each with what the rows that hold it say."""
    numeric: frozenset[str]
    """The columns with numbers."""
    group: tuple[str, ...] = ()
    """The fields that the rows of a group have in common; they are no columns."""

    def only(self, keep: Sequence[bool]) -> Table:
        """Return the table with some of its rows."""
        return self.ordered([at for at, kept in enumerate(keep) if kept])

    def ordered(self, places: Sequence[int]) -> Table:
        """Return the table with the rows of these places, in this order."""
        rows, sources = tuple(self.rows[at] for at in places), tuple(self.sources[at] for at in places)
        return Table(self.columns, rows, sources, self.numeric, self.group)

    def with_column(self, name: str, values: Sequence[Any], before: str | None = None) -> Table:
        """Return the table with a further column, before another one or at the end."""
        at = self.columns.index(before) if before in self.columns else len(self.columns)
        columns = (*self.columns[:at], name, *self.columns[at:])
        rows = tuple({**row, name: value} for row, value in zip(self.rows, values, strict=True))
        return Table(columns, rows, self.sources, self.numeric, self.group)


def declared_rows(manifest: Action | Trigger, output: Any) -> list[Row]:
    """Return the rows of an output: those at a declared path, its items, or the resource itself."""
    path = manifest.raw["output"].get("table", {}).get("rows")
    if path is not None:
        return rows_at(output, path)
    if isinstance(output, Mapping) and isinstance(output.get("items"), list):
        return [row for row in output["items"] if isinstance(row, Mapping)]
    return [output] if isinstance(output, Mapping) else []


def rows_at(output: Any, path: str) -> list[Row]:
    """Return the rows at a path (`a[].b[]`), each with what the rows that hold it say."""
    return list(_rows_at(output, path.removesuffix("[]").split("[]."), {}))


def _rows_at(holder: Any, names: Sequence[str], above: Row) -> Iterator[Row]:
    """Yield the innermost rows, each with what the rows that hold it say."""
    found = holder.get(names[0]) if isinstance(holder, Mapping) else None
    for row in found if isinstance(found, list) else ():
        if isinstance(row, Mapping):
            merged = {**above, **row}
            if len(names) == 1:
                yield merged
            else:
                held = {name: value for name, value in merged.items() if name != names[1]}
                yield from _rows_at(row, names[1:], held)


def table_of(manifest: Action | Trigger, output: Any, text: ResultText) -> Table:
    """Return a table with the manifest's columns, or else the first columns with simple values."""
    declared = manifest.raw["output"].get("table", {})
    sources = declared_rows(manifest, output)
    columns = list(declared.get("columns") or manifest.raw["output"].get("columns", ()))
    if not columns:
        plain = [name for row in sources[:20] for name, value in row.items() if not isinstance(value, Mapping | list)]
        columns = list(dict.fromkeys(plain))[:MAX_COLUMNS]
    group = tuple(declared.get("group", ()))
    rows = tuple({name: text.parts.cell(name, row) for name in (*group, *columns)} for row in sources)
    numeric = frozenset(
        name for name in columns if any(text.is_number(row[name]) for row in rows) and not _has_text(rows, name)
    )
    return Table(tuple(columns), rows, tuple(sources), numeric, group)


def newest_first(table: Table, parts: RowParts) -> Table:
    """Return the table with the newest row first: by its day, of one day by the number that the service gave it."""

    def key(at: int) -> tuple[str, int, str]:
        day, id = parts.value("day", table.sources[at]), str(parts.value("id", table.sources[at]) or "")
        return str(day or ""), int(id) if id.isdecimal() else 0, id

    return table.ordered(sorted(range(len(table.sources)), key=key, reverse=True))


def day_of(value: Any) -> date | None:
    """Return the day of a text, if it is one."""
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _has_text(rows: Sequence[Row], name: str) -> bool:
    return any(isinstance(row[name], str) and row[name] for row in rows)
