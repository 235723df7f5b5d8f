"""Which nemeses act in which history, so that each acts in many and beside changing others."""

from __future__ import annotations

from tests.histories.schedule import Backend, Schedule, make_schedule

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
)
NEMESES: dict[Backend, tuple[str, ...]] = {
    "sqlite": (*EVERYWHERE, "disk_full"),
    "postgresql": (*EVERYWHERE, "postgres_frozen", "postgres_killed"),
}
EACH = 5
"""How many nemeses act in one history."""


def plan(seed: int, histories: int) -> list[Schedule]:
    """Return the schedules of a run, SQLite and PostgreSQL in turn; each has a seed of its own."""
    return [schedule_of(seed * 1000 + number) for number in range(histories)]


def schedule_of(seed: int) -> Schedule:
    """Return the schedule of one seed: the seed decides the backend, the nemeses and all that happens."""
    backend: Backend = "postgresql" if seed % 2 else "sqlite"
    return make_schedule(seed, backend, nemeses_of(seed, backend))


def nemeses_of(seed: int, backend: Backend) -> tuple[str, ...]:
    """Return the nemeses of a seed: neighbouring seeds take turns, and the neighbours of each change."""
    known = NEMESES[backend]
    round_, turn = divmod(seed // 2, len(known))
    step = (1, 3, 5)[round_ % 3] if len(known) % (1, 3, 5)[round_ % 3] else 1
    return tuple(known[(turn * EACH + number * step) % len(known)] for number in range(EACH))
