"""Runs our own cases in Python: those of further sections too, which need a service or what a host confirms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.model import Action, Trigger
from connector.testing.cases import interpreter
from connector.testing.cases.files import encoded
from connector.testing.cases.interpreter import NOW, QUELLE, CaseResult
from tests.cases.confirmed_in_python import item_of
from tests.cases.our_cases import FURTHER
from tests.cases.written_in_python import written

__all__ = ["QUELLE", "Interpreter"]


class Interpreter(interpreter.Interpreter):
    """Python as an interpreter of our manifests and of those that only the cases have."""

    def __init__(self) -> None:
        super().__init__(str(FURTHER / "manifests"))

    def _confirmed(self, trigger: Trigger, body: Mapping[str, Any]) -> CaseResult:
        inputs, _ = self._checked(trigger, body["inputs"])
        return {"item": encoded(item_of(trigger, inputs, body, NOW))}

    def _writes(self, action: Action, body: Mapping[str, Any]) -> CaseResult:
        return written(action.id, body, self._credential)
