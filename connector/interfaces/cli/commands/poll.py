"""`kontor poll TRIGGER`: polls once and stores the cursor under a name."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from connector.core.data import localize
from connector.interfaces.cli.inputs_from_args import inputs_from, set_argument
from connector.interfaces.cli.language import colored, credits_text, language, localized
from connector.interfaces.cli.output import CLEAR, must_arrive, print_json, print_table, progress
from connector.interfaces.cli.session import open_store
from connector.interfaces.result_text import ResultText
from connector.runtime.connector import Connector
from connector.runtime.poll import START, Polled

if TYPE_CHECKING:
    from connector.core.manifest.model import Trigger
    from connector.durable.poller.context import PollContext


def poll_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor poll`."""
    parser.add_argument("trigger", metavar=localized("metavar_trigger"), help=localized("help_poll_trigger"))
    set_argument(parser)
    parser.add_argument("--start", default=START, metavar="now|all|since:ID", help=localized("help_poll_start"))
    parser.add_argument("--name", metavar="NAME", help=localized("help_poll_name"))


def poll_command(options: argparse.Namespace) -> int:
    """Poll once and print new items."""
    asyncio.run(_poll(Connector(), options))
    return 0


async def _poll(connector: Connector, options: argparse.Namespace) -> None:
    from connector.durable.poller.one_shot import acknowledge, poll_once, poll_request

    trigger = connector.trigger(options.trigger)
    async with open_poll_work(connector) as work:
        inputs = inputs_from(trigger.inputs, None, options.sets)
        request = poll_request(work, options.trigger, inputs, options.start, options.name)
        with progress(trigger.title.in_(language()), trigger.typical):
            outcome = await poll_once(work, request, on_wait=_print_wait)
        assert outcome.polled is not None  # a manual poll always calls the service
        with must_arrive(localized("poll_output_lost") if outcome.polled.items else "", reader_stays=True):
            if options.json:
                print_json(outcome.polled.as_dict())
            else:
                print_items(trigger, outcome.polled, ResultText(language(), connector.library, trigger))
                _print_summary(outcome.polled)
        await acknowledge(work, request, outcome)


def _print_wait(seconds: float) -> None:
    clear = CLEAR if sys.stderr.isatty() else ""
    print(f"{clear}{localized('poll_waits', seconds=int(seconds))}", file=sys.stderr, flush=True)


@asynccontextmanager
async def open_poll_work(connector: Connector) -> AsyncIterator[PollContext]:
    """Yield the poll arguments for the environment's credential; close the store at the end."""
    from connector.durable.poller.context import PollContext

    try:
        async with connector.open() as session:
            yield PollContext(connector, open_store(connector), session, str(uuid4()), session.clock)
    finally:
        connector.close()


def columns_of(trigger: Trigger) -> list[str]:
    """Return the columns to show."""
    return list(trigger.raw["output"].get("columns", [])) or ["_id"]


def print_items(trigger: Trigger, polled: Polled, text: ResultText) -> None:
    """Print the items as a table."""
    columns = columns_of(trigger)
    values = [[text.parts.cell(name, item) for name in columns] for item in polled.items]
    rows = [
        [text.value(value, name, item) for name, value in zip(columns, row, strict=True)]
        for item, row in zip(polled.items, values, strict=True)
    ]
    right = {index for index in range(len(columns)) if rows and all(text.is_number(row[index]) for row in values)}
    print_table(rows, header=text.labels(columns) if rows else (), right=right, indent="")


def _print_summary(polled: Polled) -> None:
    if polled.watched:
        told = (_watched_text(one["id"], one["known_from"]) for one in polled.watched)
        print(colored(localized("poll_watched", names=", ".join(told)), "dim"))
    print(colored(localized("poll_found", count=len(polled.items), cursor=_shortened(polled.cursor)), "dim"))
    if polled.more:
        print(localized("poll_more"))
    cost, balance = credits_text(polled.credits.cost), polled.credits.balance
    if balance is None:
        print(colored(localized("run_cost", cost=cost), "dim"))
    else:
        print(colored(localized("run_cost_balance", cost=cost, balance=localize.number(balance, language())), "dim"))


def _shortened(cursor: str) -> str:
    return cursor if len(cursor) <= 60 else cursor[:59] + "…"


def _watched_text(id: str, how: str) -> str:
    return f"{id} ({localized(f'known_from_{how}')})"
