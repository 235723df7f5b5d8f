"""`kontor subscriptions`: who is told of what, what each is owed, and dead letters that a person sends again."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.cells import cell
from connector.interfaces.cli.language import tell
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.session import store_of
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.store import Database
    from connector.store.deliveries import Delivery
    from connector.store.subscriptions import Subscription

WITH_ID = ("show", "end", "deliveries", "replay")
VERBS = ("list", "dead", *WITH_ID)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor subscriptions` understands."""
    parser.add_argument(
        "verb", nargs="?", default="list", choices=VERBS, metavar="|".join(VERBS), help=tell("help_subscriptions_verb")
    )
    parser.add_argument("id", nargs="?", metavar="ID", help=tell("help_subscriptions_id"))


def run(options: argparse.Namespace) -> int:
    """Lists, shows, ends and replays."""
    if options.verb in WITH_ID and not options.id:
        raise InputError(say("argument_missing", names="ID"), field="id")
    if options.verb not in WITH_ID and options.id:
        raise InputError(say("argument_unknown", names=options.id), field="id")
    verbs: dict[str, Callable[[Database, argparse.Namespace], None]] = {
        "list": _list,
        "show": _show,
        "end": _end,
        "deliveries": _deliveries,
        "dead": _dead,
        "replay": _replay,
    }
    connector = Connector()
    try:
        verbs[options.verb](store_of(connector), options)
    finally:
        connector.close()
    return 0


def _list(store: Database, options: argparse.Namespace) -> None:
    from connector.store import subscriptions

    found = store.read(subscriptions.listed)
    if options.json:
        print_json({"ok": True, "subscriptions": [_subscription(one) for one in found]})
        return
    header = [tell(f"column_{name}") for name in ("id", "trigger", "state", "target", "since")]
    rows = [[one.id, one.trigger, _state(one), one.target_url, cell(iso(one.created_at))] for one in found]
    print_table(rows, header=header if rows else (), indent="")
    if not rows:
        print(tell("subscriptions_none"))


def _show(store: Database, options: argparse.Namespace) -> None:
    from connector.store import cursors

    one = _found(store, options.id)
    name = one.cursor_name
    cursor = store.read(lambda connection: cursors.get(connection, name)) if name else None
    place: dict[str, Any] = {}
    if cursor is not None:
        place = {
            "cursor": cursor.cursor,
            "polled_at": cursor.polled_at,
            "next_at": cursor.next_at,
            "trouble": cursor.trouble,
        }
    document = {**_subscription(one), **place}
    if options.json:
        print_json({"ok": True, "subscription": document})
    else:
        print_table([[key, _words(value)] for key, value in document.items()], indent="")


def _end(store: Database, options: argparse.Namespace) -> None:
    from connector.store import deliveries, subscriptions

    one, now = _found(store, options.id), datetime.now(UTC)

    def end(connection: Any) -> bool:
        deliveries.end_waiting(connection, one.id)
        return subscriptions.end(connection, one.id, "by hand", now)

    ended = store.write(end).result()
    if options.json:
        print_json({"ok": True, "id": one.id, "ended": ended})
    else:
        print(tell("subscription_ended" if ended else "subscription_had_ended", id=one.id))


def _deliveries(store: Database, options: argparse.Namespace) -> None:
    from connector.store import deliveries

    one = _found(store, options.id)
    _print_deliveries(store.read(lambda connection: list(deliveries.listed(connection, one.id))), options)


def _dead(store: Database, options: argparse.Namespace) -> None:
    from connector.store import deliveries

    _print_deliveries(store.read(lambda connection: list(deliveries.dead_letters(connection))), options)


def _replay(store: Database, options: argparse.Namespace) -> None:
    from connector.store import deliveries

    number, now = int(options.id) if options.id.isdecimal() else 0, datetime.now(UTC)
    if not store.write(lambda connection: deliveries.replay(connection, number, now)).result():
        raise InputError(say("delivery_not_replayable", id=options.id), field="id")
    if options.json:
        print_json({"ok": True, "id": number, "replayed": True})
    else:
        print(tell("delivery_replayed", id=number))


def _print_deliveries(found: list[Delivery], options: argparse.Namespace) -> None:
    if options.json:
        print_json({"ok": True, "deliveries": [asdict(one) for one in found]})
        return
    header = [tell(f"column_{name}") for name in ("id", "item", "state", "attempts", "answer", "since")]
    rows = [
        [
            str(one.id),
            one.item_id,
            tell(f"delivery_{one.state}"),
            str(one.attempts),
            one.last_error or cell(one.last_status),
            cell(iso(one.made_at)),
        ]
        for one in found
    ]
    print_table(rows, header=header if rows else (), right={3}, indent="")
    print(tell("rows", count=len(rows)))


def _found(store: Database, id: str) -> Subscription:
    from connector.store import subscriptions

    one = store.read(lambda connection: subscriptions.get(connection, id))
    if one is None:
        raise InputError(say("subscription_unknown", id=id), field="id")
    return one


def _subscription(one: Subscription) -> dict[str, Any]:
    """All but the sealed secret."""
    return {name: value for name, value in asdict(one).items() if name != "sealed_secret"}


def _state(one: Subscription) -> str:
    words = tell(f"subscription_is_{one.state}")
    return f"{words} ({one.why_ended})" if one.why_ended else words


def _words(value: Any) -> str:
    return cell(iso(value) if isinstance(value, datetime) else value)
