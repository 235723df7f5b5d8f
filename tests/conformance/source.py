"""The service's description, taken apart: which sentences and table rows stand under which heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT.parent / "shared" / "service-api.md"
"""Where the description lies beside a checkout; it is no part of this repository."""
OPEN = re.compile(r"not shown|stated nowhere")
_SENTENCE_END = re.compile(r"(?<=[^0-9]\.)(?<!e\.g\.)\s+(?=[A-Z`*{])")
_LEAD_IN_WORDS = 8


@dataclass(frozen=True)
class Passage:
    """One sentence or one row of a table."""

    heading: str
    line: int
    text: str

    @property
    def leaves_open(self) -> bool:
        """Whether it says that something is not shown."""
        return bool(OPEN.search(self.text))


def passages(path: Path = SOURCE) -> Iterator[Passage]:
    """Everything that the description says, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heading = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|"):
            if not _is_table_head(lines, number):
                yield Passage(heading, number, line)
        else:
            for sentence in _SENTENCE_END.split(line):
                if sentence and not _is_lead_in(sentence):
                    yield Passage(heading, number, sentence)


def _is_lead_in(sentence: str) -> bool:
    """Whether it only announces the list or table below it."""
    return sentence.endswith(":") and len(sentence.split()) < _LEAD_IN_WORDS


def _is_table_head(lines: list[str], number: int) -> bool:
    """Whether a row names the columns, or is the rule below them."""
    rule = "|---"
    return lines[number - 1].startswith(rule) or (number < len(lines) and lines[number].startswith(rule))
