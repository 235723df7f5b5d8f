"""Writes the file that a spreadsheet opens (CSV). All cells of all such files are written here, so that none is run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from connector.interfaces.result_text import EMPTY

MARK = "\ufeff"
"""At the head of a file it says UTF-8, without which Excel reads umlauts wrong."""
_FORMULA = re.compile(
    r"[\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]"
)
"""How a text begins that a spreadsheet would run: what cannot be seen before the sign is skipped, by some of them."""
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
"""What may end a line or a cell; behind it a cell would begin anew."""
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}\.[0-9]{2}\.[0-9]{4}"
_MISREAD = re.compile(rf"(?!(?:{_DAY})$)(?:[0-9]{{12,}}|0[0-9]+|[0-9]+(?:[-./:,eE][+-]?[0-9]+)+%?)")
"""Spreadsheets round a long number, drop the zeros in front, and make a day of 10-12, unless told that it is a text.

A whole day is one.
"""


class Figure(str):
    """A number as it stands in the file, with which a spreadsheet may calculate."""

    __slots__ = ()


def spreadsheet_file(lines: Iterable[Iterable[str]], lang: str) -> bytes:
    """Return lines of cells as a file: in German with semicolons, as a German spreadsheet opens it."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=";" if lang == "de" else ",", lineterminator="\r\n")
    writer.writerows([cell if isinstance(cell, Figure) else _text_cell(cell) for cell in line] for line in lines)
    return (MARK + file.getvalue()).encode("utf-8", "replace")


def _text_cell(text: str) -> str:
    """A text for a cell: nothing in it is run, and what only looks like a number or a day stays as it is."""
    shown = "" if text == EMPTY else text
    if _MISREAD.fullmatch(shown):
        return f'="{shown}"'
    quoted = f"'{shown}" if _FORMULA.match(shown) else shown
    return _BREAKS.sub(" ", quoted)
