"""A list of transactions or payments as the service gives it, and a poller that reads it as the engine does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from connector import Connector
from connector.core.polls.page import Page, may_be_cut
from connector.runtime.requests import checks

Row = dict[str, Any]
NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
FIRST_UNSAFE = 2**53 + 1
"""The first whole number that a double cannot hold."""


CONNECTOR = Connector("unused")


class Strategy:
    """A trigger's declared strategy, asked like the runtime does it; inputs that are left out have their default."""

    def __init__(self, trigger: str) -> None:
        self._trigger = CONNECTOR.trigger(trigger)
        self._defaults = {one.name: one.default for one in self._trigger.inputs if one.default is not None}
        self._goes_on = False

    def ask(self, inputs: dict[str, Any], cursor: str | None, now: datetime) -> dict[str, Any]:
        assert self._trigger.poll is not None
        return self._trigger.poll.asks({**self._defaults, **inputs}, cursor, now, "all")

    def turn(
        self, items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
    ) -> tuple[list[Row], str]:
        assert self._trigger.poll is not None
        page = Page(items, may_be_cut(len(items)))
        done = self._trigger.poll.turn(page, cursor, {**self._defaults, **inputs}, now, start)
        self._goes_on = done.more
        return done.items, done.cursor

    def more(self, items: list[Row], inputs: dict[str, Any]) -> bool:
        return may_be_cut(len(items)) or self._goes_on

    def check(self, inputs: dict[str, Any]) -> None:
        checks.check(self._trigger, inputs)

    def fires(self, event: str, data: dict[str, Any], inputs: dict[str, Any]) -> bool:
        assert self._trigger.event is not None
        return self._trigger.event.fires(event, data, inputs)


def handler(area: str, trigger: str) -> Strategy:
    return Strategy(trigger)


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

    def answer(self, from_id: str | None = None, from_date: Any = None, created_from: Any = None) -> list[Row]:
        after = int(from_id or 0)
        found = [self.rows[number] for number in sorted(self.rows) if number > after]
        if from_date is not None:
            found = [one for one in found if one["made_on"] >= str(from_date)]
        if created_from is not None:
            found = [one for one in found if one["created_at"] >= str(created_from)]
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
