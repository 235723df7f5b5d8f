"""What figures belong to: the inputs and the time they were read with, as title, file name and head of a file. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.interfaces.console.frame.input_facts import Names, input_facts
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.result_rows import table_of
from connector.interfaces.result_text import ResultText
from connector.store.trust.workspaces import DEFAULT

MAX_FILE_NAME = 150


@dataclass(frozen=True, slots=True)
class FigureLabel:
    """Stands over figures on the screen and in files; both are made of the inputs with which they were read."""

    facts: tuple[tuple[str, str], ...] = ()
    """Label and value of each input."""
    sums: tuple[tuple[str, str], ...] = ()
    """What the answer itself says of all its rows."""
    read: tuple[str, str] = ("", "")
    """Label and time of reading."""
    name: str = ""
    """The part of a file's name: values of the inputs, days as ISO writes them, and the day of reading."""

    @property
    def title(self) -> str:
        """The inputs in one line."""
        return " · ".join(f"{label}: {value}" for label, value in self.facts)

    @property
    def sum_text(self) -> str:
        """What the answer says of all its rows, in one line."""
        return " · ".join(f"{label}: {value}" for label, value in self.sums)

    def over(self, caption: str) -> str:
        """Return the name of a table of these figures."""
        return f"{caption} · {self.title}" if self.facts else caption

    def head(self, caption: str) -> list[tuple[str, ...]]:
        """Return the lines that stand over the columns of a file."""
        return [(caption,), *self.facts, *self.sums, self.read, ()] if any(self.read) else []

    def file_name(self, caption: str) -> str:
        """Return the name of a file without its ending."""
        text = re.sub(r"[^\w-]+", "-", f"{caption} {self.name}").strip("-") or "Kontor"
        return re.sub(r"-{2,}", "-", text)[:MAX_FILE_NAME]


def label_of(
    action: Action,
    inputs: Mapping[str, Any],
    read_at: datetime,
    localize: Localizer,
    library: Library,
    *,
    names: Names | None = None,
    workspace: str = DEFAULT,
    output: Any = None,
) -> FigureLabel:
    """Return the label of an answer; `names` says what chosen options are called."""
    shown = input_facts(action.inputs, inputs, localize, names)
    plain = input_facts(action.inputs, inputs, Localizer("en"), names)
    own = [(localize("figures_workspace"), workspace)] if workspace != DEFAULT else []
    parts = [workspace if own else "", *(fact.value for fact in plain.facts), Localizer("en").moment(read_at)[:10]]
    return FigureLabel(
        (*own, *shown.as_rows()),
        _sums(action, output, localize, library),
        (localize("figures_read"), localize.date_time(read_at)),
        " ".join(filter(None, parts)),
    )


def has_figures(action: Action, output: Any, library: Library) -> bool:
    """Whether an answer has rows with numbers, which mean nothing without what they belong to."""
    return bool(table_of(action, output, ResultText("en", library, action)).numeric)


def _sums(action: Action, output: Any, localize: Localizer, library: Library) -> tuple[tuple[str, str], ...]:
    """What an answer says beside the rows of its table: its own day and its sums."""
    declared = action.raw["output"]
    if "table" not in declared or not isinstance(output, Mapping):
        return ()
    columns = [name for name in declared.get("columns", ()) if output.get(name) is not None]
    text = localize.result(library, action)
    return tuple(
        (label, text.value(output[name], name, output))
        for label, name in zip(text.labels(columns), columns, strict=True)
    )
