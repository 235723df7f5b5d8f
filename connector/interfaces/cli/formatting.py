"""Formats values of an output for display in the user's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.interfaces.cli.language import language
from connector.interfaces.result_text import ResultText


def format_value(value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
    """Format a value of no declared field."""
    return ResultText(language()).value(value, name, row)
