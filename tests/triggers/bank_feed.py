"""A list of transactions or payments as the service gives it, and a poller that reads it as the engine does."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from types import ModuleType
from typing import Any

Row = dict[str, Any]
NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
FIRST_UNSAFE = 2**53 + 1
"""The first whole number that a double cannot hold."""


def handler(area: str, trigger: str) -> ModuleType:
    return import_module(f"triggers.{area}.{trigger}")


def row(number: int | str, **more: Any) -> Row:
    return {
        "id": str(number),
        "status": "posted",
        "duplicated": False,
        "made_on": "2026-05-04",
        "created_at": "2026-05-04T06:00:00+00:00",
        **more,
    }


def payment(number: int, status: Any = "initiated") -> Row:
    return {"id": str(number), "status": status, "created_at": "2026-05-04T06:00:00+00:00"}


def ids(items: list[Row]) -> list[str]:
    return [item["_id"] for item in items]


class Feed:
    """Answers like the service: behind `from_id`, ascending by id, cut off at the page size if there is one."""

    def __init__(self, *rows: Row, page: int | None = None) -> None:
        self.rows = {int(one["id"]): one for one in rows}
        self.page = page

    def add(self, *rows: Row) -> None:
        self.rows |= {int(one["id"]): one for one in rows}

    def answer(self, from_id: str | None = None, from_date: Any = None) -> list[Row]:
        after = int(from_id or 0)
        found = [self.rows[number] for number in sorted(self.rows) if number > after]
        if from_date is not None:
            found = [one for one in found if one["made_on"] >= str(from_date)]
        return found[: self.page]


class Poller:
    """One trigger on one feed: keeps the cursor, reads on while a page looks cut off."""

    def __init__(self, trigger: str, feed: Feed, *, start: str = "all", most_pages: int = 50, **inputs: Any) -> None:
        self._handler = handler("banking", trigger)
        self.feed, self.start, self.most_pages = feed, start, most_pages
        self.inputs = {"account_id": "8101", **inputs}
        self.cursor: str | None = None
        self.now = NOW
        self.asked: list[dict[str, Any]] = []

    def poll(self) -> list[Row]:
        fired: list[Row] = []
        for _ in range(self.most_pages):
            asked = self._handler.ask(self.inputs, self.cursor, self.now)
            self.asked.append(asked)
            page = self.feed.answer(**asked)
            before = self.cursor
            items, self.cursor = self._handler.turn(page, before, self.inputs, self.now, self.start)
            fired += items
            if not self._handler.more(page, self.inputs) or self.cursor == before:
                break
        return fired
