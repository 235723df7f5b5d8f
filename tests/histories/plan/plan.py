"""Which faults act in which history, so that each acts in many and beside changing others."""

from __future__ import annotations

import random

from tests.histories.plan.schedule import Backend, Schedule, make_schedule

EVERYWHERE = (
    "kill_host",
    "lost_after",
    "stop_host",
    "list_lag",
    "restore",
    "clock_step",
    "list_without_keys",
    "rate_storm",
    "key_replaced",
    "paged_list",
    "lost_before",
    "late_acting",
    "error_after",
    "any_answer",
    "approvals",
)
FAULTS: dict[Backend, tuple[str, ...]] = {
    "sqlite": (*EVERYWHERE, "disk_full", "file_deleted"),
    "postgresql": (*EVERYWHERE, "postgres_frozen", "postgres_killed"),
}
EACH = 5
"""How many faults act in one history."""


HISTORIES_PER_RUN = 1000
"""A history's seed is its run's seed times this, plus its number in the run."""


def plan(seed: int, histories: int) -> list[Schedule]:
    """Return the schedules of a run, SQLite and PostgreSQL in turn; each has a seed of its own."""
    return [schedule_of(seed * HISTORIES_PER_RUN + number) for number in range(histories)]


def schedule_of(seed: int) -> Schedule:
    """Return the schedule of one seed: the seed decides the backend, the faults and all that happens."""
    backend: Backend = "postgresql" if seed % 2 else "sqlite"
    return make_schedule(seed, backend, faults_of(seed, backend))


def faults_of(seed: int, backend: Backend) -> tuple[str, ...]:
    """Return the faults of a seed: dealt from shuffled decks, so that each acts about as often in a run."""
    run, number = divmod(seed, HISTORIES_PER_RUN)
    dice = random.Random(f"{run}/{backend}")
    deck: list[str] = []
    hand: list[str] = []
    for _ in range(number // 2 + 1):
        hand = []
        while len(hand) < EACH:
            fresh = [name for name in deck if name not in hand]
            if not fresh:
                deck += dice.sample(FAULTS[backend], len(FAULTS[backend]))
                continue
            hand.append(fresh[0])
            deck.remove(fresh[0])
    return tuple(hand)
