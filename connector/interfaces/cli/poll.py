"""`kontor poll TRIGGER`: asks once what is new, and keeps the place under a name."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from connector.core import localize
from connector.interfaces.cli.cells import at, cell, is_number
from connector.interfaces.cli.given import inputs_from, set_argument
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.progress import progress
from connector.interfaces.cli.session import store_of
from connector.interfaces.cli.wording import credit_words
from connector.runtime.connector import Connector
from connector.runtime.poll import START, Polled

if TYPE_CHECKING:
    from connector.core.manifest.model import Trigger
    from connector.durable.poller.work import PollWork


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor poll` understands."""
    parser.add_argument("trigger", metavar=tell("metavar_trigger"), help=tell("help_poll_trigger"))
    set_argument(parser)
    parser.add_argument("--start", default=START, metavar="now|all|since:ID", help=tell("help_poll_start"))
    parser.add_argument("--name", metavar="NAME", help=tell("help_poll_name"))


def run(options: argparse.Namespace) -> int:
    """Polls once and prints what is new."""
    connector = Connector()
    trigger = connector.trigger(options.trigger)
    with progress(trigger.title.in_(language()), trigger.typical):
        polled = asyncio.run(_poll(connector, options))
    if options.json:
        print_json(polled.as_dict())
        return 0
    print_items(trigger, polled)
    _print_ending(polled)
    return 0


async def _poll(connector: Connector, options: argparse.Namespace) -> Polled:
    from connector.durable.poller.one_shot import named, poll_once

    async with opened_work(connector) as work:
        inputs = inputs_from(connector.trigger(options.trigger).inputs, None, options.sets)
        outcome = await poll_once(work, named(work, options.trigger, inputs, options.start, options.name))
    assert outcome.polled is not None  # a poll by hand always asks
    return outcome.polled


@asynccontextmanager
async def opened_work(connector: Connector) -> AsyncIterator[PollWork]:
    """The environment's credential, ready to poll; what was committed is on disk when the block ends."""
    from connector.durable.poller.work import PollWork

    try:
        async with connector.open() as session:
            yield PollWork(connector, store_of(connector), session, str(uuid4()), session.clock)
    finally:
        connector.close()


def columns_of(trigger: Trigger) -> list[str]:
    """The fields that matter to people."""
    return list(trigger.raw["output"].get("columns", [])) or ["_id"]


def print_items(trigger: Trigger, polled: Polled) -> None:
    """The items as a table."""
    columns = columns_of(trigger)
    rows = [[cell(at(item, name), name, item) for name in columns] for item in polled.items]
    right = {
        place for place, name in enumerate(columns) if rows and all(is_number(at(item, name)) for item in polled.items)
    }
    print_table(rows, header=columns if rows else (), right=right, indent="")


def _print_ending(polled: Polled) -> None:
    print(paint(tell("poll_found", count=len(polled.items), cursor=_short(polled.cursor)), "dim"))
    if polled.more:
        print(tell("poll_more"))
    cost, balance = credit_words(polled.credits.cost), polled.credits.balance
    if balance is None:
        print(paint(tell("run_cost", cost=cost), "dim"))
    else:
        print(paint(tell("run_cost_balance", cost=cost, balance=localize.number(balance, language())), "dim"))


def _short(cursor: str) -> str:
    return cursor if len(cursor) <= 60 else cursor[:59] + "…"
