"""Prints outputs of actions and runs: values, tables and labels in the user's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from connector.core.data import localize
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.values.dates import iso
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_table, printable
from connector.interfaces.question import visible
from connector.interfaces.result_rows import declared_rows, rows_at
from connector.interfaces.result_text import ResultText
from connector.runtime.requests.catalog import Catalog

Document = Mapping[str, Any]
MAX_VALUE = 2000
"""Characters of one value that are shown."""
STATES = "run_state"
"""The set of words for the states of a run."""
MAX_COLUMNS = 8


def format_value(value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
    """Format a value of no declared field."""
    return ResultText(language()).value(value, name, row)


class RunText:
    """The texts of the runs of a list; an action that is no longer known keeps the names of its inputs."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self._actions: Mapping[str, Action] = self.catalog.actions

    def action(self, run: Document) -> Action | None:
        """Return the action of a run; None if there is none by this id here."""
        return self._actions.get(run["action"])

    def state(self, run: Document) -> str:
        """Return what the state of a run is called."""
        return localize.word(run["state"], self.catalog.library.words[STATES], language())

    def moment(self, value: Any) -> str:
        """Return a point in time, which a host tells as text."""
        return format_value(value if isinstance(value, str) else iso(value))

    def inputs(self, run: Document) -> str:
        """Return the inputs of a run in one line."""
        return visible(self._text(run).value(run["inputs"]), MAX_VALUE)

    def input_rows(self, run: Document) -> list[list[str]]:
        """Return the inputs of a run, one a row: what it is called, and its value."""
        text = self._text(run)
        return [
            [visible(text.label(name)), visible(text.value(value, name, run["inputs"]), MAX_VALUE)]
            for name, value in run["inputs"].items()
        ]

    def _text(self, run: Document) -> ResultText:
        action = self.action(run)
        return ResultText.of_inputs(language(), action.inputs if action is not None else ())


def print_output(action: Action, output: Any, library: Library) -> None:
    """Print the output of an action."""
    text = ResultText(language(), library, action)
    declared = action.raw["output"]
    columns = declared.get("columns", [])
    if isinstance(output, Mapping) and "table" in declared and declared_rows(action, output):
        _print_groups(action, output, text, library)
    elif isinstance(output, Mapping) and action.is_list and isinstance(output.get("items"), list):
        _print_rows(output["items"], columns, text)
        print(colored(localized("rows", count=len(output["items"])), "dim"))
    elif isinstance(output, Mapping):
        _print_object(output, columns, text)
    elif isinstance(output, list):
        _print_rows(output, columns, text)
    else:
        print(printable(text.value(output)))


def _print_rows(
    items: Sequence[Any], columns: Sequence[str], text: ResultText, within: str = "", indent: str = ""
) -> None:
    """Print rows as a table; `within` is the path of the list that they stand in."""
    rows = [item if isinstance(item, Mapping) else {"": item} for item in items]
    cell = text.parts.cell
    names = list(columns) if any(cell(name, row) is not None for row in rows for name in columns) else _columns_of(rows)
    values_by_column = [_column([cell(name, row) for row in rows]) for name in names]
    right = {index for index, column in enumerate(values_by_column) if _is_numeric(column, text)}
    cells = [
        [text.value(column[index], within + name, row) for name, column in zip(names, values_by_column, strict=True)]
        for index, row in enumerate(rows)
    ]
    heads = text.labels(within + name for name in names)
    print_table(cells, header=heads if rows else (), right=right, indent=indent)


def _column(values: list[Any]) -> list[Any]:
    """The values of one column; if one is a Decimal, integers become Decimals too."""
    if not any(isinstance(value, Decimal) for value in values):
        return values
    return [Decimal(value) if type(value) is int else value for value in values]


def _is_numeric(values: Sequence[Any], text: ResultText) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and all(map(text.is_number, given))


def _columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The fields with simple values, for outputs without declared columns."""
    names = dict.fromkeys(name for row in rows for name, value in row.items() if not isinstance(value, dict | list))
    return list(names)[:MAX_COLUMNS]


def _print_object(output: Mapping[str, Any], columns: Sequence[str], text: ResultText) -> None:
    """Print the declared columns, then other fields, then lists of objects as tables."""
    first = {name: text.parts.cell(name, output) for name in columns}
    rest = {name: value for name, value in _flatten(output, text) if name not in first}
    tables = {name: value for name, value in rest.items() if _is_table(value)}
    plain = {**first, **{name: value for name, value in rest.items() if name not in tables}}
    heads = text.labels(plain)
    values = [text.value(value, name, output) for name, value in plain.items()]
    print_table([[head, value] for head, value in zip(heads, values, strict=True)], indent="")
    for name, value in tables.items():
        print("\n" + colored(text.label(name), "bold"))
        _print_rows(value, (), text, f"{name}.", indent="  ")


def _flatten(output: Mapping[str, Any], text: ResultText, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all fields by dotted name, down to simple values, lists and balances."""
    for name, value in output.items():
        if isinstance(value, Mapping) and value and not text.is_number(value):
            yield from _flatten(value, text, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _print_groups(action: Action, output: Mapping[str, Any], text: ResultText, library: Library) -> None:
    """Print the rows that a table declares, below what holds them and its amount; then the output's own sums."""
    table = action.raw["output"]["table"]
    holders, _, rows = table["rows"].removesuffix("[]").rpartition("[].")
    parts = library.row_parts(action.resource, holders)
    for holder in rows_at(output, holders) if holders else [output]:
        name = "  ".join(printable(text.value(holder.get(name), name)) for name in table.get("group", ()))
        print(f"{colored(name, 'bold')}  {text.value(parts.amount(holder))}")
        _print_rows(holder.get(rows) or [], table["columns"], text, indent="  ")
    sums = {name: text.parts.cell(name, output) for name in action.raw["output"].get("columns", ())}
    print_table([[text.label(name), text.value(value, name)] for name, value in sums.items()], indent="")
