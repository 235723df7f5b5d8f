"""Runs a handler's check and says its objection in both languages, as a person would read it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from connector.core.problem import Problem

MANIFESTS = Path(__file__).parent.parent.parent / "manifests" / "actions"


class Refusal:
    """What a check objected to."""

    def __init__(self, area: str, action: str, problem: Problem) -> None:
        tree = yaml.safe_load((MANIFESTS / area / f"{action}.yaml").read_text(encoding="utf-8"))
        sentence = tree["messages"][problem.name]
        self.name = problem.name
        self.field = problem.field
        # Every blank has to be filled in both languages; a missing value is a KeyError here.
        self.en = sentence["en"].format(**problem.values)
        self.de = sentence["de"].format(**problem.values)


def refusal(area: str, action: str, inputs: dict[str, Any]) -> Refusal:
    """The objection to these inputs; fails when there is none."""
    handler = import_module(f"actions.{area}.{action}")
    with pytest.raises(Problem) as caught:
        handler.check(inputs)
    return Refusal(area, action, caught.value)
