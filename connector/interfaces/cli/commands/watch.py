"""`kontor watch TRIGGER`: polls repeatedly and prints new items; a free check precedes each paid request."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core import timing
from connector.core.data import localize
from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.interfaces.cli.commands.poll import columns_of, open_poll_work, poll_arguments
from connector.interfaces.cli.failure import print_error
from connector.interfaces.cli.inputs_from_args import inputs_from
from connector.interfaces.cli.language import colored, credits_text, language, localized
from connector.interfaces.cli.output import CLEAR, must_arrive, print_json, printable, terminal_width
from connector.interfaces.result_text import ResultText
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.core.manifest.library import Library
    from connector.core.manifest.model import Trigger
    from connector.durable.poller.context import PollContext
    from connector.durable.poller.one_shot import PollOutcome, PollRequest

DEFAULT_SECONDS = 15.0
"""Default interval of free polls: uses at most a third of the rate limit."""
MIN_SECONDS = 5.0
MAX_DELAY = 600.0


def watch_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor poll`, and `--every`."""
    poll_arguments(parser)
    parser.add_argument("--every", type=float, metavar=localized("metavar_seconds"), help=localized("help_watch_every"))


def watch_command(options: argparse.Namespace) -> int:
    """Poll until interrupted."""
    connector = Connector()
    trigger = connector.trigger(options.trigger)
    interval = _interval(trigger, options.every)
    try:
        asyncio.run(_watch(connector, trigger, options, interval))
    except KeyboardInterrupt:
        _status("")
        if not options.json:
            print(localized("watch_ended"), file=sys.stderr)
    return 0


def _interval(trigger: Trigger, given: float | None) -> float:
    from connector.durable.poller.pages import reads_bank_rows

    if given is not None:
        if not MIN_SECONDS <= given <= 86_400:
            raise InputError(say("watch_every_invalid", least=int(MIN_SECONDS)), field="--every")
        return given
    free = not trigger.cost.credits or (trigger.source == "poll" and reads_bank_rows(trigger))
    return DEFAULT_SECONDS if free else float(trigger.usual_interval)


async def _watch(connector: Connector, trigger: Trigger, options: argparse.Namespace, interval: float) -> None:
    from connector.durable.poller.one_shot import poll_request

    inputs = inputs_from(trigger.inputs, None, options.sets)
    async with open_poll_work(connector) as work:
        poll = poll_request(work, trigger.id, inputs, options.start, options.name)
        if not options.json:
            print(
                colored(localized("watch_begun", title=trigger.title, cost=credits_text(trigger.cost.credits)), "dim")
            )
        spent, failures = Decimal(0), 0
        while True:
            try:
                outcome = await _poll_and_print(work, poll, options)
                spent, failures = spent + outcome.cost, 0
                delay = interval
            except KontorError as error:
                if not error.retryable:
                    raise
                failures += 1
                delay = _retry_delay(error, interval, failures, work.clock.utcnow())
                _status("")
                print_error(error, as_json=options.json)
            await _wait(delay, spent, quiet=options.json)


async def _poll_and_print(work: PollContext, poll: PollRequest, options: argparse.Namespace) -> PollOutcome:
    from connector.durable.poller.one_shot import acknowledge, poll_once

    outcome = await poll_once(work, poll, only_on_change=True)
    if outcome.polled is not None and (outcome.polled.items or outcome.cost):
        _status("")
        with must_arrive(localized("poll_output_lost") if outcome.polled.items else "", reader_stays=True):
            if options.json:
                print_json(outcome.polled.as_dict())
            else:
                for item in outcome.polled.items:
                    print(_line(poll.trigger, item, work.connector.library))
        await acknowledge(work, poll, outcome)
    return outcome


def _line(trigger: Trigger, item: dict[str, Any], library: Library) -> str:
    """Format an item as one line with the time."""
    text_of = ResultText(language(), library, trigger)
    clock = colored(localize.time_of_day(datetime.now(UTC), language()), "dim")
    cells = [printable(text_of.value(text_of.parts.cell(name, item), name, item)) for name in columns_of(trigger)]
    text, width = "  ".join(cells), terminal_width()
    if width and len(text) > width - 10:
        text = text[: width - 11] + "…"
    return f"{clock}  {text}"


def _retry_delay(error: KontorError, interval: float, failures: int, now: datetime) -> float:
    if error.retry_at is not None and error.retry_at > now:
        return (error.retry_at - now).total_seconds()
    return timing.doubled(failures, first=2 * interval, longest=max(interval, MAX_DELAY))


async def _wait(seconds: float, spent: Decimal, *, quiet: bool) -> None:
    """Wait, with a countdown on a terminal."""
    left = int(seconds) if not quiet and sys.stderr.isatty() else 0
    fraction = seconds - left
    while left > 0:
        _status(colored(localized("watch_status", seconds=left, spent=credits_text(spent)), "dim", sys.stderr))
        await asyncio.sleep(1)
        left -= 1
    await asyncio.sleep(fraction)


def _status(text: str) -> None:
    """Replace the status line on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{CLEAR}{text}")
        sys.stderr.flush()
