"""Cuts long answers into pages, and keeps the rest for a while, so that reading on costs nothing.

A page is asked for by the same call with `page`, the mark that the page before carries as `next`. Marks are of this
process and belong to one caller and one call: after a restart, or at another host, the call must be made anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cachetools import LRUCache, TTLCache

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.core.values import json
from connector.core.writes.marks import digest

PAGE, NEXT = "page", "next"
MAX_ITEMS = 100
MAX_CHARACTERS = 30_000
KEPT_SECONDS = 600
KEPT_CHARACTERS = 2_000_000
"""Characters that are kept for each caller."""
MAX_CALLERS = 64
LISTS = ("options", "runs")
"""Names of the lists that stand at the top of a document."""
Document = dict[str, Any]


class Page(NamedTuple):
    """A document that fits, and a sentence about what is left out."""

    document: Document
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer in pages."""

    call: str
    pages: tuple[Document, ...]
    ends: tuple[int, ...]
    """How many items there are up to the end of each page."""
    characters: int


class AnswerPages:
    """The pages that one server keeps."""

    def __init__(self) -> None:
        self._callers: LRUCache[Any, TTLCache[str, _Answer]] = LRUCache(MAX_CALLERS)

    def first(self, caller: Any, tool: str, arguments: Mapping[str, Any], document: Document) -> Page:
        """Return a document as it is, or its first page."""
        text = json.encode(document).decode()
        place = _longest_list(document)
        if len(text) <= MAX_CHARACTERS and (place is None or len(_at(document, place)) <= MAX_ITEMS):
            return Page(document)
        pages = list(_pages(document, place))
        ends, total = [], 0
        for _, items in pages:
            total += items
            ends.append(total)
        made = tuple(document for document, _ in pages)
        answer = _Answer(_digest(tool, arguments), made, tuple(ends), len(text))
        mark = secrets.token_urlsafe(12)
        kept = self._callers.get(caller)
        if kept is None:
            kept = self._callers[caller] = TTLCache(KEPT_CHARACTERS, KEPT_SECONDS, getsizeof=lambda one: one.characters)
        if answer.characters > kept.maxsize:
            return Page({**answer.pages[0], NEXT: None}, say("mcp_page_dropped", shown=ends[0], total=total))
        kept[mark] = answer
        return _page(answer, mark, 0)

    def following(self, caller: Any, tool: str, arguments: Mapping[str, Any]) -> Page:
        """Return the page that the arguments ask for; raise when it is not kept, or was of another call."""
        given = arguments[PAGE]
        if not isinstance(given, str):
            raise InputError(say("not_text"), field=PAGE)
        mark, _, number = given.rpartition(".")
        kept = self._callers.get(caller)
        answer = None if kept is None else kept.get(mark)
        place = int(number) if number.isascii() and number.isdecimal() and len(number) <= 6 else 0
        known = answer is not None and 0 < place < len(answer.pages) and answer.call == _digest(tool, arguments)
        if answer is None or not known:
            raise InputError(say("mcp_page_unknown"), remedy=say("mcp_page_unknown_remedy"), field=PAGE)
        return _page(answer, mark, place)


def _page(answer: _Answer, mark: str, place: int) -> Page:
    last = place == len(answer.pages) - 1
    following = None if last else f"{mark}.{place + 1}"
    document = {**answer.pages[place], NEXT: following}
    if place and isinstance(document.get("credits"), Mapping):
        document["credits"] = {**document["credits"], "cost": 0}
    begins = (answer.ends[place - 1] if place else 0) + 1
    shown = {"begins": begins, "ends": answer.ends[place], "total": answer.ends[-1]}
    note = say("mcp_page_last", **shown) if last else say("mcp_page", **shown, page=following)
    return Page(document, note)


def _pages(document: Document, place: tuple[str, ...] | None) -> Iterator[tuple[Document, int]]:
    """Return the pages of a document with their number of items; what has no list that can be cut is cut as text."""
    if place is not None and len(json.encode(_with(document, place, []))) <= MAX_CHARACTERS:
        chunks = _chunks(_at(document, place))
        if chunks is not None:
            for chunk in chunks:
                yield _with(document, place, chunk), len(chunk)
            return
    text = json.encode(document.get("output")).decode()
    for begin in range(0, len(text), MAX_CHARACTERS):
        piece = text[begin : begin + MAX_CHARACTERS]
        yield {**document, "output": {"json_part": piece}}, len(piece)


def _chunks(items: Sequence[Any]) -> list[list[Any]] | None:
    """Divide items into pages; None when one of them is too long by itself."""
    chunks: list[list[Any]] = [[]]
    characters = 0
    for item in items:
        size = len(json.encode(item).decode())
        if size > MAX_CHARACTERS:
            return None
        if chunks[-1] and (len(chunks[-1]) >= MAX_ITEMS or characters + size > MAX_CHARACTERS):
            chunks.append([])
            characters = 0
        chunks[-1].append(item)
        characters += size
    return chunks


def _longest_list(document: Document) -> tuple[str, ...] | None:
    """Return where the longest list of a document is: at its top, or right inside its output."""
    output = document.get("output")
    places = [(name,) for name in LISTS if isinstance(document.get(name), list)]
    if isinstance(output, list):
        places.append(("output",))
    elif isinstance(output, Mapping):
        places += [("output", name) for name, value in output.items() if isinstance(value, list)]  # type: ignore[misc]
    return max(places, key=lambda place: len(_at(document, place)), default=None)


def _at(document: Any, place: tuple[str, ...]) -> list[Any]:
    for name in place:
        document = document[name]
    return document  # type: ignore[no-any-return]


def _with(document: Any, place: tuple[str, ...], items: list[Any]) -> Any:
    if not place:
        return items
    return {**document, place[0]: _with(document[place[0]], place[1:], items)}


def _digest(tool: str, arguments: Mapping[str, Any]) -> str:
    return digest(tool, {name: value for name, value in arguments.items() if name != PAGE})
