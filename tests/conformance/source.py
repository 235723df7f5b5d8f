"""The service's description, taken apart: which sentences and table rows stand under which heading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT.parent / "shared" / "service-api.md"
"""Where the description lies beside a checkout; it is no part of this repository."""
OPEN = re.compile(r"not shown|stated nowhere")
_SENTENCE_END = re.compile(r"(?<=[^0-9]\.)(?<!e\.g\.)\s+(?=[A-Z`*{])")
_LEAD_IN_WORDS = 8


@dataclass(frozen=True)
class Quotation:
    """What a statement quotes of one line."""

    line: int
    text: str


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
    lines = _lines(path)
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


def quoted_wrongly(quotation: Quotation, path: Path = SOURCE) -> bool:
    """Whether its words do not stand in its line."""
    return _plain(quotation.text) not in _plain(_lines(path)[quotation.line - 1])


def left_out(passage: Passage, quotations: Iterable[Quotation]) -> str:
    """The words of a passage that nobody quotes."""
    text = _plain(passage.text)
    left = list(text)
    for quotation in quotations:
        quote = _plain(quotation.text)
        start = 0 if text in quote else text.find(quote)
        if quotation.line == passage.line and start >= 0:
            left[start : start + len(quote)] = " " * len(text[start : start + len(quote)])
    return " ".join(re.findall(r"\w+", "".join(left)))


def _plain(text: str) -> str:
    return " ".join(text.split())


@cache
def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _is_lead_in(sentence: str) -> bool:
    """Whether it only announces the list or table below it."""
    return sentence.endswith(":") and len(sentence.split()) < _LEAD_IN_WORDS


def _is_table_head(lines: list[str], number: int) -> bool:
    """Whether a row names the columns, or is the rule below them."""
    rule = "|---"
    return lines[number - 1].startswith(rule) or (number < len(lines) and lines[number].startswith(rule))
