"""Runs as people read them: their states, the labels of their inputs and the values, in the user's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core import localize
from connector.core.manifest.model import Action
from connector.core.values.dates import iso
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import language
from connector.interfaces.question import visible
from connector.interfaces.result_text import ResultText
from connector.runtime.catalog import Catalog

Document = Mapping[str, Any]
MAX_VALUE = 2000
"""Characters of one value that are shown."""
STATES = "run_state"
"""The set of words for the states of a run."""


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
