"""Histories of triggers: nothing is missed, doubled, false or late. The checker must catch each bug that is planted."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from connector.client import key_states
from connector.core.polls.cursor import Cursor
from connector.core.polls.days import berlin_day
from tests.histories.trigger_history import (
    OPERATIONS,
    Operation,
    early_event,
    failing_flow,
    fast_clock,
    late_row,
    payments,
    payments_anew,
    pending_row,
    posted_row,
    rows,
    rows_anew,
    settled_payment,
    trigger_history,
)
from tests.store.postgres import postgres_server, postgres_url
from tests.support.parts import part, which
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]
SEEDS = range(20)


@pytest.fixture(autouse=True)
def _own_rate_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_states, "_by_key", {})


async def violations(
    sandbox: RunningSandbox, data: str, seed: int, operations: list[Operation] = OPERATIONS
) -> list[str]:
    async with trigger_history(sandbox, data, seed) as history:
        if broken := await history.run(operations):
            broken.append(f"seed {seed} ({which()}): {' '.join(history.story)}")
        return broken


async def test_a_history_is_kept(sandbox: RunningSandbox, tmp_path: Path) -> None:
    assert not (broken := await violations(sandbox, str(tmp_path), 1_000)), "\n".join(broken)


@pytest.mark.slow
@pytest.mark.parametrize("seed", part(SEEDS))
async def test_nothing_is_missed_doubled_false_or_late(sandbox: RunningSandbox, tmp_path: Path, seed: int) -> None:
    assert not (broken := await violations(sandbox, str(tmp_path), seed)), "\n".join(broken)


@pytest.mark.slow
@pytest.mark.parametrize("seed", part(SEEDS))
async def test_the_same_with_postgresql(sandbox: RunningSandbox, postgres_url: str, seed: int) -> None:
    assert not (broken := await violations(sandbox, postgres_url, seed)), "\n".join(broken)


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
        "connector.durable.poller.late_rows.wants_late_check",
        lambda cursor, now: False,
        [rows, late_row, rows_anew],
        "missed",
    ),
    "an event is asked for once": (
        "connector.durable.inbox.decide.RETRY_DELAYS",
        (),
        [payments, early_event],
        "missed",
    ),
    "a failed delivery is given up": (
        "connector.durable.outbox.schedule.RETRY_DELAYS",
        (),
        [payments, settled_payment, failing_flow, failing_flow],
        "missed",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("bug", BUGS)
async def test_the_checker_catches_a_planted_bug(
    sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    place, replacement, operations, caught = BUGS[bug]
    monkeypatch.setattr(place, replacement)
    broken = await violations(sandbox, str(tmp_path), 1, operations)
    assert any(line.startswith(caught) for line in broken), broken
