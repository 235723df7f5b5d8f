"""Histories of triggers: rows late, ids anew, small pages, clocks fast. Missed, doubled and late items are counted.

A history is drawn from its seed. The checker is itself checked by bugs that are planted: it must catch each of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from engine_host import MAIN, EngineHost, arrive

from connector.core.polls.cursor import Cursor
from connector.core.polls.days import berlin_day

MAX_POLLS = 4
"""What shows is told after so many polls at most; a row whose id begins anew needs two."""
STEPS = 14
QUIET_POLLS = 8


@dataclass
class Told:
    """What a history has shown to triggers, and what they have told."""

    engine_host: EngineHost
    random: random.Random
    shown: dict[str, int] = field(default_factory=dict)
    """By trigger and item, the number of the poll before which it was first to be told."""
    first_told: dict[str, int] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    open_payments: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=lambda: {"row": 1, "payment": 1})
    polls: int = 0

    def expect(self, trigger: str, *ids: str) -> None:
        self.shown |= {f"{trigger} {id}": self.polls for id in ids}


def rows(told: Told) -> None:
    told.expect("new_transaction", *arrive(told.engine_host.desk, told.random.randint(1, 9)))


def late_row(told: Told) -> None:
    [high] = arrive(told.engine_host.desk, unseen=1)
    told.expect("new_transaction", high)
    told.later = lambda: told.expect("new_transaction", *arrive(told.engine_host.desk, id=str(int(high) - 1)))  # type: ignore[attr-defined]


def rows_anew(told: Told) -> None:
    first = told.numbers["row"]
    told.numbers["row"] += 3
    for number in range(first, first + 3):
        told.expect("new_transaction", *arrive(told.engine_host.desk, id=str(number)))


def senseless_row(told: Told) -> None:
    told.expect("new_transaction", *arrive(told.engine_host.desk, id=str(9 * 10**19 + told.polls)))


def pending_row(told: Told) -> None:
    told.pending += arrive(told.engine_host.desk, status="pending")


def posted_row(told: Told) -> None:
    if told.pending:
        id = told.pending.pop(0)
        told.engine_host.desk.order(f"/transactions/{id}", status="posted")
        told.expect("new_transaction", id)


def fast_clock(told: Told) -> None:
    told.engine_host.clock.wrong_by = timedelta(days=40)


def payments(told: Told, **more: Any) -> None:
    made = [row["id"] for row in told.engine_host.desk.order("/payments", count=2, **more)["data"]]
    told.open_payments += made
    told.expect("new_payment", *made)


def payments_anew(told: Told) -> None:
    first = told.numbers["payment"]
    told.numbers["payment"] += 2
    payments(told, first_id=first)


def settled_payment(told: Told) -> None:
    if told.open_payments:
        id = told.open_payments.pop(told.random.randrange(len(told.open_payments)))
        told.engine_host.desk.order(f"/payments/{id}", status="settled")
        told.expect("payment_status_changed", f"{id}:settled")


def small_pages(told: Told) -> None:
    told.engine_host.desk.order("/settings", payments_page_size=told.random.choice([3, 7, 20]))


OPERATIONS: list[Callable[[Told], None]] = [
    rows,
    late_row,
    rows_anew,
    senseless_row,
    pending_row,
    posted_row,
    fast_clock,
    payments,
    payments_anew,
    settled_payment,
    small_pages,
]


async def violations(engine_host: EngineHost, seed: int, operations: list[Callable[[Told], None]]) -> Counter[str]:
    """Live through a history; return how many items were missed, doubled, or late."""
    told = Told(engine_host, random.Random(seed))
    flows = {
        "new_transaction": await engine_host.subscribe("new_transaction", account_id=MAIN),
        "new_payment": await engine_host.subscribe("new_payment"),
        "payment_status_changed": await engine_host.subscribe("payment_status_changed", status="settled"),
    }
    engine_host.desk.order("/settings", auto_payments=False)
    await engine_host.poll()
    for step in range(STEPS + QUIET_POLLS):
        if step < STEPS:
            told.random.choice(operations)(told)
        await engine_host.poll_all()
        engine_host.clock.wrong_by = timedelta(0)
        later: Callable[[], None] | None = getattr(told, "later", None)
        told.polls += 1
        for trigger, flow in flows.items():
            for id in engine_host.found(flow):
                told.first_told.setdefault(f"{trigger} {id}", told.polls)
        if later is not None:
            later()
            told.later = None  # type: ignore[attr-defined]
    enqueued = Counter(f"{trigger} {id}" for trigger, flow in flows.items() for id in engine_host.enqueued(flow))
    found = Counter[str]()
    found["missed"] = sum(1 for item in told.shown if item not in enqueued)
    found["doubled"] = sum(1 for count in enqueued.values() if count > 1)
    # A payment that is settled also brings a transaction, which no operation has announced.
    unasked = [item for item in enqueued if item not in told.shown and not item.startswith("new_transaction ")]
    found["false"] = len(unasked)
    found["late"] = sum(
        1 for item, poll in told.shown.items() if item in enqueued and told.first_told[item] - poll > MAX_POLLS
    )
    return +found


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_is_missed_doubled_or_late(engine_host: EngineHost, seed: int) -> None:
    assert await violations(engine_host, seed, OPERATIONS) == Counter(), f"seed {seed}"


def decided_by_position(cursor: Cursor, number: int, row: Any, came: str | None) -> bool:
    return number > cursor.after


def judged_by_our_clock(rows: Any, now: datetime, dates: Any) -> date:
    return berlin_day(now)


BUGS = {
    "payments are decided by position": (
        "connector.core.polls.cursor.Cursor.is_new",
        decided_by_position,
        [payments, payments_anew],
        "missed",
    ),
    "rows are given up by our clock": (
        "connector.core.polls.by_id.newest_day",
        judged_by_our_clock,
        [pending_row, fast_clock, posted_row],
        "missed",
    ),
    "a count that is not explained is passed over": (
        "connector.durable.poller.late_rows.wants_look",
        lambda cursor, now: False,
        [rows, late_row, rows_anew],
        "missed",
    ),
}


@pytest.mark.parametrize("bug", BUGS)
async def test_the_checker_catches_a_planted_bug(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    place, replacement, operations, caught = BUGS[bug]
    monkeypatch.setattr(place, replacement)
    assert (await violations(engine_host, 1, operations))[caught] > 0
