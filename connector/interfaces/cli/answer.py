"""An action's output as people want to see it: lists as tables, everything else as names and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from connector.core.manifest.model import Action
from connector.interfaces.cli.cells import at, cell, is_number
from connector.interfaces.cli.language import tell
from connector.interfaces.cli.output import harmless, print_table
from connector.interfaces.cli.paint import paint

MOST_COLUMNS = 8
POSTEN = ("beleg", "belegdatum", "buchungstext", "saldo")
"""The columns of an open item."""


def print_output(action: Action, output: Any) -> None:
    """Prints what an action gave back."""
    declared = action.raw["output"]
    columns = declared.get("columns", [])
    if isinstance(output, Mapping) and declared.get("view") == "open_items" and isinstance(output.get("konten"), list):
        _print_open_items(output)
    elif isinstance(output, Mapping) and action.is_list and isinstance(output.get("items"), list):
        _print_rows(output["items"], columns)
        print(paint(tell("rows", count=len(output["items"])), "dim"))
    elif isinstance(output, Mapping):
        _print_object(output, columns)
    elif isinstance(output, list):
        _print_rows(output, columns)
    else:
        print(harmless(cell(output)))


def _print_rows(items: Sequence[Any], columns: Sequence[str], indent: str = "") -> None:
    rows = [item if isinstance(item, Mapping) else {"": item} for item in items]
    shown = list(columns) if any(at(row, name) is not None for row in rows for name in columns) else _columns_of(rows)
    columns_shown = [_column(name, rows) for name in shown]
    right = {place for place, column in enumerate(columns_shown) if _is_numeric(column)}
    cells = [
        [cell(column[place], name, row) for name, column in zip(shown, columns_shown, strict=True)]
        for place, row in enumerate(rows)
    ]
    print_table(cells, header=shown if rows else (), right=right, indent=indent)


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The values of one column. Where one has decimals all have: 0, 2 and 3.50 are of one kind."""
    values = [at(row, name) for row in rows]
    if not any(isinstance(value, Decimal) for value in values):
        return values
    return [Decimal(value) if type(value) is int else value for value in values]


def _is_numeric(values: Sequence[Any]) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and all(map(is_number, given))


def _columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """For answers of which nothing is known beforehand: the fields that hold plain values."""
    names = dict.fromkeys(name for row in rows for name, value in row.items() if not isinstance(value, dict | list))
    return list(names)[:MOST_COLUMNS]


def _print_object(output: Mapping[str, Any], columns: Sequence[str]) -> None:
    """What matters first, then the rest; lists of objects below, as tables of their own."""
    first = {name: at(output, name) for name in columns}
    rest = {name: value for name, value in _flat(output) if name not in first}
    tables = {name: value for name, value in rest.items() if _is_table(value)}
    plain = {**first, **{name: value for name, value in rest.items() if name not in tables}}
    print_table([[name, cell(value, name, output)] for name, value in plain.items()], indent="")
    for name, value in tables.items():
        print("\n" + paint(name, "bold"))
        _print_rows(value, (), indent="  ")


def _flat(output: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """All fields by dotted name, down to plain values, lists and balances."""
    for name, value in output.items():
        if isinstance(value, Mapping) and value and not is_number(value):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _print_open_items(output: Mapping[str, Any]) -> None:
    for account in output["konten"]:
        total = cell(account.get("totalSaldo"), "totalSaldo")
        name = harmless(f"{account.get('kontonummer', '')}  {account.get('bezeichnung', '')}")
        print(f"{paint(name, 'bold')}  {total}")
        _print_rows(account.get("posten") or [], POSTEN, indent="  ")
    sums = {name: output.get(name) for name in ("stichtag", "sumDebitoren", "sumKreditoren")}
    print_table([[name, cell(value, name)] for name, value in sums.items()], indent="")
