"""`kontor subscriptions`: lists, pauses, resumes and ends them, replaces secrets, shows and replays deliveries."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from connector.core.call_source import current_source
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.session import open_store
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.store import Database
    from connector.store.deliveries import Delivery
    from connector.store.subscriptions import Subscription

WITH_ID = ("show", "pause", "resume", "end", "secret", "deliveries", "replay")
VERBS = ("list", "dead", *WITH_ID)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor subscriptions`."""
    parser.add_argument(
        "verb",
        nargs="?",
        default="list",
        choices=VERBS,
        metavar="|".join(VERBS),
        help=localized("help_subscriptions_verb"),
    )
    parser.add_argument("id", nargs="?", metavar="ID", help=localized("help_subscriptions_id"))


def run(options: argparse.Namespace) -> int:
    """Run the chosen verb."""
    if options.verb in WITH_ID and not options.id:
        raise InputError(say("argument_missing", names="ID"), field="id")
    if options.verb not in WITH_ID and options.id:
        raise InputError(say("argument_unknown", names=options.id), field="id")
    verbs: dict[str, Callable[[Database, argparse.Namespace], None]] = {
        "list": _list,
        "show": _show,
        "pause": _pause,
        "resume": _resume,
        "end": _end,
        "secret": _replace_secret,
        "deliveries": _deliveries,
        "dead": _dead,
        "replay": _replay,
    }
    connector = Connector()
    try:
        verbs[options.verb](open_store(connector), options)
    finally:
        connector.close()
    return 0


def _list(store: Database, options: argparse.Namespace) -> None:
    from connector.store import subscriptions

    found = store.read(lambda connection: subscriptions.listed(connection, None))
    if options.json:
        print_json({"ok": True, "subscriptions": [_subscription(one) for one in found]})
        return
    header = [localized(f"column_{name}") for name in ("id", "trigger", "state", "target", "since")]
    rows = [[one.id, one.trigger, _state(one), one.target_url, format_value(iso(one.created_at))] for one in found]
    print_table(rows, header=header if rows else (), indent="")
    if not rows:
        print(localized("subscriptions_none"))


def _show(store: Database, options: argparse.Namespace) -> None:
    from connector.store import cursors

    one = _find(store, options.id)
    name = one.cursor_name
    cursor = store.read(lambda connection: cursors.get(connection, name)) if name else None
    cursor_fields: dict[str, Any] = {}
    if cursor is not None:
        cursor_fields = {
            "cursor": cursor.cursor,
            "polled_at": cursor.polled_at,
            "next_at": cursor.next_at,
            "trouble": cursor.trouble,
        }
    document = {**_subscription(one), **cursor_fields}
    if options.json:
        print_json({"ok": True, "subscription": document})
    else:
        print_table([[key, _format(value)] for key, value in document.items()], indent="")


def _end(store: Database, options: argparse.Namespace) -> None:
    from connector.durable import subscription_changes

    one, now, by = _find(store, options.id), datetime.now(UTC), current_source()
    ended = store.write(lambda connection: subscription_changes.end(connection, by, one.id, "by hand", now)).result()
    if options.json:
        print_json({"ok": True, "id": one.id, "ended": ended})
    else:
        print(localized("subscription_ended" if ended else "subscription_had_ended", id=one.id))


def _pause(store: Database, options: argparse.Namespace) -> None:
    from connector.durable import subscription_changes

    one, now, by = _running(store, options.id), datetime.now(UTC), current_source()
    paused = store.write(lambda connection: subscription_changes.pause(connection, by, one.id, now)).result()
    if options.json:
        print_json({"ok": True, "id": one.id, "paused": paused})
    else:
        print(localized("subscription_paused", id=one.id))


def _resume(store: Database, options: argparse.Namespace) -> None:
    from connector.durable import subscription_changes

    one, now, by = _running(store, options.id), datetime.now(UTC), current_source()
    resumed = store.write(lambda connection: subscription_changes.resume(connection, by, one.id, now)).result()
    if options.json:
        print_json({"ok": True, "id": one.id, "resumed": resumed})
    else:
        print(localized("subscription_resumed" if resumed else "subscription_not_paused", id=one.id))


def _replace_secret(store: Database, options: argparse.Namespace) -> None:
    from connector.durable.subscription_changes import replace_secret
    from connector.store.vault import Vault

    one, now, by, vault = _find(store, options.id), datetime.now(UTC), current_source(), Vault()
    document = store.write(lambda connection: replace_secret(connection, vault, by, one.id, now)).result()
    if document is None:
        raise InputError(say("subscription_had_ended", id=one.id), field="id")
    if options.json:
        print_json(document)
    else:
        until = _format(document["former_valid_until"])
        print(localized("subscription_secret", id=one.id, secret=document["secret"], until=until))


def _deliveries(store: Database, options: argparse.Namespace) -> None:
    from connector.store import deliveries

    one = _find(store, options.id)
    _print_deliveries(store.read(lambda connection: list(deliveries.listed(connection, None, one.id))), options)


def _dead(store: Database, options: argparse.Namespace) -> None:
    from connector.store import deliveries

    _print_deliveries(store.read(lambda connection: list(deliveries.dead_letters(connection, None))), options)


def _replay(store: Database, options: argparse.Namespace) -> None:
    from connector.durable.subscription_changes import replay

    number, now, by = int(options.id) if options.id.isdecimal() else 0, datetime.now(UTC), current_source()
    if not store.write(lambda connection: replay(connection, by, None, number, now)).result():
        raise InputError(say("delivery_not_replayable", id=options.id), field="id")
    if options.json:
        print_json({"ok": True, "id": number, "replayed": True})
    else:
        print(localized("delivery_replayed", id=number))


def _answer(one: Delivery) -> str:
    """Return what became of the last attempt."""
    from connector.durable.subscription_health import delivery_failure

    if one.last_error is None:
        return format_value(one.last_status)
    return delivery_failure(one.last_status, one.last_error).in_(language())


def _print_deliveries(found: list[Delivery], options: argparse.Namespace) -> None:
    if options.json:
        print_json({"ok": True, "deliveries": [asdict(one) for one in found]})
        return
    header = [localized(f"column_{name}") for name in ("id", "item", "state", "attempts", "answer", "since")]
    rows = [
        [
            str(one.id),
            one.item_id,
            localized(f"delivery_{one.state}"),
            str(one.attempts),
            _answer(one),
            format_value(iso(one.made_at)),
        ]
        for one in found
    ]
    print_table(rows, header=header if rows else (), right={3}, indent="")
    print(localized("rows", count=len(rows)))


def _find(store: Database, id: str) -> Subscription:
    from connector.store import subscriptions

    one = store.read(lambda connection: subscriptions.find(connection, None, id))
    if one is None:
        raise InputError(say("subscription_unknown", id=id), field="id")
    return one


def _running(store: Database, id: str) -> Subscription:
    one = _find(store, id)
    if one.state != "active":
        raise InputError(say("subscription_had_ended", id=one.id), field="id")
    return one


def _subscription(one: Subscription) -> dict[str, Any]:
    """Return all fields except the encrypted secret."""
    from connector.store.subscriptions import SECRETS

    return {name: value for name, value in asdict(one).items() if name not in SECRETS}


def _state(one: Subscription) -> str:
    words = localized("subscription_is_paused" if one.paused_at else f"subscription_is_{one.state}")
    return f"{words} ({one.why_ended})" if one.why_ended else words


def _format(value: Any) -> str:
    return format_value(iso(value) if isinstance(value, datetime) else value)
