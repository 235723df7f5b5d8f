"""`kontor watch TRIGGER`: polls on and on, and prints each item as it comes. Paid lists are asked after a free sign."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core import backoff, localize
from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.interfaces.cli.cells import at, cell
from connector.interfaces.cli.failure import print_error
from connector.interfaces.cli.given import inputs_from
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import harmless, print_json, terminal_width
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.poll import arguments as poll_arguments
from connector.interfaces.cli.poll import columns_of, opened_work
from connector.interfaces.cli.progress import CLEAR
from connector.interfaces.cli.wording import credit_words
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.core.manifest.model import Trigger
    from connector.durable.poller.one_shot import Named, Outcome
    from connector.durable.poller.work import PollWork

USUAL_SECONDS = 15.0
"""Between looks that cost nothing: often enough to be live, and a third of the rate limit at most."""
LEAST_SECONDS = 5.0
LONGEST_PAUSE = 600.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor watch` understands: all that `kontor poll` does, and how often to look."""
    poll_arguments(parser)
    parser.add_argument("--every", type=float, metavar=tell("metavar_seconds"), help=tell("help_watch_every"))


def run(options: argparse.Namespace) -> int:
    """Watches until it is interrupted."""
    connector = Connector()
    trigger = connector.trigger(options.trigger)
    every = _every(trigger, options.every)
    try:
        asyncio.run(_watch(connector, trigger, options, every))
    except KeyboardInterrupt:
        _status("")
        if not options.json:
            print(tell("watch_ended"), file=sys.stderr)
    return 0


def _every(trigger: Trigger, given: float | None) -> float:
    from connector.durable.poller.bank_rows import reads_bank_rows

    if given is not None:
        if not LEAST_SECONDS <= given <= 86_400:
            raise InputError(say("watch_every_invalid", least=int(LEAST_SECONDS)), field="--every")
        return given
    free = not trigger.cost.credits or (trigger.source == "poll" and reads_bank_rows(trigger))
    return USUAL_SECONDS if free else float(trigger.usual_interval)


async def _watch(connector: Connector, trigger: Trigger, options: argparse.Namespace, every: float) -> None:
    from connector.durable.poller.one_shot import named

    inputs = inputs_from(trigger.inputs, None, options.sets)
    async with opened_work(connector) as work:
        what = named(work, trigger.id, inputs, options.start, options.name)
        if not options.json:
            print(paint(tell("watch_begun", title=trigger.title, cost=credit_words(trigger.cost.credits)), "dim"))
        spent, failures = Decimal(0), 0
        while True:
            try:
                outcome = await _look(work, what, options)
                spent, failures = spent + outcome.cost, 0
                pause = every
            except KontorError as error:
                if not error.retryable:
                    raise
                failures += 1
                pause = _pause(error, every, failures, work.clock.utcnow())
                _status("")
                print_error(error, as_json=options.json)
            await _wait(pause, spent, quiet=options.json)


async def _look(work: PollWork, what: Named, options: argparse.Namespace) -> Outcome:
    from connector.durable.poller.one_shot import poll_once

    outcome = await poll_once(work, what, thrifty=True)
    if outcome.polled is not None and (outcome.polled.items or outcome.cost):
        _status("")
        if options.json:
            print_json(outcome.polled.as_dict())
        else:
            for item in outcome.polled.items:
                print(_line(what.trigger, item))
            sys.stdout.flush()
    return outcome


def _line(trigger: Trigger, item: dict[str, Any]) -> str:
    """One item in one line: when it came, and what matters of it."""
    clock = paint(localize.time_of_day(datetime.now(UTC), language()), "dim")
    cells = [harmless(cell(at(item, name), name, item)) for name in columns_of(trigger)]
    text, width = "  ".join(cells), terminal_width()
    if width and len(text) > width - 10:
        text = text[: width - 11] + "…"
    return f"{clock}  {text}"


def _pause(error: KontorError, every: float, failures: int, now: datetime) -> float:
    if error.retry_at is not None and error.retry_at > now:
        return (error.retry_at - now).total_seconds()
    return backoff.doubled(failures, first=2 * every, longest=max(every, LONGEST_PAUSE))


async def _wait(seconds: float, spent: Decimal, *, quiet: bool) -> None:
    """Counts down on one quiet line."""
    left = int(seconds) if not quiet and sys.stderr.isatty() else 0
    rest = seconds - left
    while left > 0:
        _status(paint(tell("watch_status", seconds=left, spent=credit_words(spent)), "dim", sys.stderr))
        await asyncio.sleep(1)
        left -= 1
    await asyncio.sleep(rest)


def _status(text: str) -> None:
    """Shows a line that the next one replaces; only people at a terminal see it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{CLEAR}{text}")
        sys.stderr.flush()
