"""Runs all benchmarks and prints each ratio with its bound.

A missed bound is measured again, on a noisy machine, unless `--once` is given; with `--strict` it is a failure. Where
`KONTOR_TEST_PARTS` says so, only one of so many parts is measured; `KONTOR_TEST_SEED` says which.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from bench import call, console, deliveries, growth, host, ingestion, invoke, parse, polling, startup, typed

TRIES = 3


class Measure(NamedTuple):
    what: str
    run: Callable[[], float]
    bound: float
    at_least: bool = False

    def holds(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


MEASURES = [
    Measure("a call, blocking / bare httpx post + json, CPU", call.blocking_ratio, 1.4),
    Measure("a call, asynchronous / bare httpx post + json, CPU", call.asynchronous_ratio, 1.4),
    Measure("10,000 transactions: our speed / bare GET + validate_json", parse.speed_ratio, 0.9, at_least=True),
    Measure("10,000 transactions: growth of peak memory / body", parse.memory_ratio, 3.0),
    Measure("kontor --version / python -c pass", lambda: startup.ratio("--version"), 2.5),
    Measure("kontor actions / python -c pass", lambda: startup.ratio("actions"), 3.0),
    Measure("import and open / import httpx and pydantic, a Client", startup.import_ratio, 1.3),
    Measure("one resource by its handler / by invoke, CPU", typed.one_ratio, 1.4),
    Measure("10,000 rows by a handler / invoke and TypeAdapter, CPU", typed.rows_ratio, 1.5),
    Measure("a 20-line booking, invoke / httpx and one committed row", invoke.cash_book_ratio, 1.6),
    Measure("a booking, asynchronous / httpx and one committed row", invoke.asynchronous_cash_book_ratio, 1.6),
    Measure("a booking with PostgreSQL / httpx and one committed row", invoke.postgres_cash_book_ratio, 2.0),
    Measure("a booking on PostgreSQL, async / httpx and one row", invoke.postgres_asynchronous_cash_book_ratio, 2.0),
    Measure("a dropdown that is known, microseconds", invoke.warm_option_microseconds, 5.0),
    Measure("credits for a day of 4 refreshes and 3 flows (plain polling: 864)", polling.credits_per_day, 6.0),
    Measure("10,000 rows polled and committed: rows per second / parse alone", polling.rows_ratio, 0.5, at_least=True),
    Measure("10,000 rows polled and committed: growth of memory / body", polling.memory_ratio, 4.0),
    Measure("200,000 rows in pages: memory, last third / first third", polling.growth_ratio, 1.2),
    Measure("an action over HTTP per second, host / bare FastAPI", host.run_ratio, 0.6, at_least=True),
    Measure("a known dropdown over HTTP per second, host / bare FastAPI", host.lookup_ratio, 0.7, at_least=True),
    Measure("200 callers at once: p99 / p50 (no error)", host.concurrent, 5.0),
    Measure("a page with a table until it can be used / bare NiceGUI", console.ready_ratio, 1.5),
    Measure("events stored per second, host / bare Starlette with SQLite", ingestion.ratio, 0.6, at_least=True),
    Measure("event to flow beside 50 that hang and 3 % failures: p99, seconds", deliveries.p99_seconds, 5.0),
    Measure("event to flow: median / without those that hang and fail", deliveries.ratio, 3.0),
    Measure("10,000 keys with 10 triggers, nothing due: CPU a second, ms", growth.idle_milliseconds, 50.0),
    Measure("10,000 keys on PostgreSQL, its own CPU included: CPU, ms", growth.postgres_idle_milliseconds, 50.0),
    Measure("memory of a host with 10,000 keys / with 100", growth.memory_ratio, 1.5),
    Measure("CPU per due cursor among 100,000 / among 1,000", growth.cursor_cost_ratio, 1.3),
    Measure("due triggers with nothing new / their bare GETs, CPU", growth.poll_cost_ratio, 4.0),
    Measure("longest wait of a key for its turn / median", growth.fairness_ratio, 2.0),
]


def main() -> int:
    missed, tries = 0, 1 if "--once" in sys.argv else TRIES
    parts, seed = (int(os.environ.get(f"KONTOR_TEST_{name}") or 0) for name in ("PARTS", "SEED"))
    for measure in MEASURES[seed % parts :: parts] if parts else MEASURES:
        print(f"{measure.what:<68}", end="", flush=True)
        values: list[float] = []
        while len(values) < tries and not (values and measure.holds(values[-1])):
            values.append(measure.run())  # every value is printed
        good = measure.holds(values[-1])
        missed += not good
        sign = "≥" if measure.at_least else "≤"
        shown = ", ".join(f"{value:.2f}" for value in values)
        print(f" {shown:>6}   ({sign} {measure.bound:g})  {'ok' if good else 'MISSED'}", flush=True)
    return 1 if missed and "--strict" in sys.argv else 0


if __name__ == "__main__":
    raise SystemExit(main())
