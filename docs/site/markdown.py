"""Markdown for the site, and the words that it has of its own, in the language of `KONTOR_LANG`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from connector.core.messages import Text, filled, parse

WORDS = Path(__file__).with_name("words.yaml")
SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>|~$"})
"""What Markdown would read as more than a character."""


@cache
def words() -> Mapping[str, Text]:
    """The words of the site, by their names."""
    found = parse([(str(WORDS), WORDS.stat())])
    return {name: Text(*both) for name, both in found.items()}


def word(name: str, /, **values: Any) -> Text:
    """A sentence of the site with its blanks filled in."""
    return filled(words()[name], values)


def plain(text: object) -> str:
    """A text as Markdown that shows it literally."""
    return " ".join(str(text).translate(SPECIAL).split())


def code(text: object) -> str:
    """A text as code within a line, also in a table."""
    shown = str(text).replace("|", "\\|")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def block(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def table(header: Sequence[Text], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown."""
    lines = [list(map(str, header)), ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def facts(rows: Iterable[Sequence[str]]) -> str:
    """A table of two columns without a header."""
    return "".join(["|   |   |\n|---|---|\n", *(f"| {plain(name)} | {value} |\n" for name, value in rows)])


def section(name: str, body: str, level: int = 2) -> str:
    """A heading and what stands below it; nothing where that is empty."""
    return f"{'#' * level} {word(name)}\n\n{body.strip()}\n\n" if body.strip() else ""


def hidden_contents(names: Iterable[str]) -> str:
    """Pages below this one, which the sidebar shows."""
    listed = "".join(f"{name}\n" for name in names)
    return f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{listed}```\n"
