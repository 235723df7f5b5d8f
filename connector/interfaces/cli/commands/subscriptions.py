"""`kontor subscriptions`: lists, pauses, resumes and ends them, replaces secrets, shows and replays deliveries."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from connector.core.callers import current_source
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.result_output import format_value
from connector.interfaces.cli.session import open_store
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.store import Database
    from connector.store.triggers.deliveries import Delivery
    from connector.store.triggers.subscriptions import Subscription

WITH_ID = ("show", "pause", "resume", "end", "secret", "deliveries", "replay")
VERBS = ("list", "dead", *WITH_ID)


def subscriptions_arguments(parser: argparse.ArgumentParser) -> None:
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


def subscriptions_command(options: argparse.Namespace) -> int:
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
    from connector.operations.flows import without_secrets
    from connector.store.triggers import subscriptions

    listed = store.read(lambda connection: subscriptions.listed(connection, None))
    if options.json:
        print_json({"ok": True, "subscriptions": [without_secrets(subscription) for subscription in listed]})
        return
    header = [localized(f"column_{name}") for name in ("id", "trigger", "state", "target", "since")]
    rows = [
        [
            subscription.id,
            subscription.trigger,
            _state(subscription),
            subscription.target_url,
            format_value(iso(subscription.created_at)),
        ]
        for subscription in listed
    ]
    print_table(rows, header=header if rows else (), indent="")
    if not rows:
        print(localized("subscriptions_none"))


def _show(store: Database, options: argparse.Namespace) -> None:
    from connector.operations.flows import cursor_state, without_secrets
    from connector.store.triggers import cursors

    subscription = _find(store, options.id)
    name = subscription.cursor_name
    cursor = store.read(lambda connection: cursors.get(connection, name)) if name else None
    document = {**without_secrets(subscription), **cursor_state(cursor)}
    if options.json:
        print_json({"ok": True, "subscription": document})
    else:
        print_table([[key, _format(value)] for key, value in document.items()], indent="")


def _end(store: Database, options: argparse.Namespace) -> None:
    from connector.durable import subscriptions

    subscription, now, by = _find(store, options.id), datetime.now(UTC), current_source()
    ended = store.write(lambda connection: subscriptions.end(connection, by, subscription.id, "by hand", now)).result()
    if options.json:
        print_json({"ok": True, "id": subscription.id, "ended": ended})
    else:
        print(localized("subscription_ended" if ended else "subscription_had_ended", id=subscription.id))


def _pause(store: Database, options: argparse.Namespace) -> None:
    from connector.durable import subscriptions

    subscription, now, by = _running(store, options.id), datetime.now(UTC), current_source()
    paused = store.write(lambda connection: subscriptions.pause(connection, by, subscription.id, now)).result()
    if options.json:
        print_json({"ok": True, "id": subscription.id, "paused": paused})
    else:
        print(localized("subscription_paused", id=subscription.id))


def _resume(store: Database, options: argparse.Namespace) -> None:
    from connector.durable import subscriptions

    subscription, now, by = _running(store, options.id), datetime.now(UTC), current_source()
    resumed = store.write(lambda connection: subscriptions.resume(connection, by, subscription.id, now)).result()
    if options.json:
        print_json({"ok": True, "id": subscription.id, "resumed": resumed})
    else:
        print(localized("subscription_resumed" if resumed else "subscription_not_paused", id=subscription.id))


def _replace_secret(store: Database, options: argparse.Namespace) -> None:
    from connector.durable.subscriptions import replace_secret
    from connector.store.trust.vault import Vault

    subscription, now, by, vault = _find(store, options.id), datetime.now(UTC), current_source(), Vault()
    document = store.write(lambda connection: replace_secret(connection, vault, by, subscription.id, now)).result()
    if document is None:
        raise InputError(say("subscription_had_ended", id=subscription.id), field="id")
    if options.json:
        print_json(document)
    else:
        until = _format(document["former_valid_until"])
        print(localized("subscription_secret", id=subscription.id, secret=document["secret"], until=until))


def _deliveries(store: Database, options: argparse.Namespace) -> None:
    from connector.store.triggers import deliveries

    subscription = _find(store, options.id)
    _print_deliveries(
        store.read(lambda connection: list(deliveries.listed(connection, None, subscription.id))), options
    )


def _dead(store: Database, options: argparse.Namespace) -> None:
    from connector.store.triggers import deliveries

    _print_deliveries(store.read(lambda connection: list(deliveries.dead_letters(connection, None))), options)


def _replay(store: Database, options: argparse.Namespace) -> None:
    from connector.durable.subscriptions import replay

    number, now, by = int(options.id) if options.id.isdecimal() else 0, datetime.now(UTC), current_source()
    if not store.write(lambda connection: replay(connection, by, None, number, now)).result():
        raise InputError(say("delivery_not_replayable", id=options.id), field="id")
    if options.json:
        print_json({"ok": True, "id": number, "replayed": True})
    else:
        print(localized("delivery_replayed", id=number))


def _answer(delivery: Delivery) -> str:
    """Return what became of the last attempt."""
    from connector.durable.subscriptions import delivery_failure

    if delivery.last_error is None:
        return format_value(delivery.last_status)
    return delivery_failure(delivery.last_status, delivery.last_error).in_(language())


def _print_deliveries(listed: list[Delivery], options: argparse.Namespace) -> None:
    if options.json:
        print_json({"ok": True, "deliveries": [asdict(delivery) for delivery in listed]})
        return
    header = [localized(f"column_{name}") for name in ("id", "item", "state", "attempts", "answer", "since")]
    rows = [
        [
            str(delivery.id),
            delivery.item_id,
            localized(f"delivery_{delivery.state}"),
            str(delivery.attempts),
            _answer(delivery),
            format_value(iso(delivery.made_at)),
        ]
        for delivery in listed
    ]
    print_table(rows, header=header if rows else (), right={3}, indent="")
    print(localized("rows", count=len(rows)))


def _find(store: Database, id: str) -> Subscription:
    from connector.store.triggers import subscriptions

    subscription = store.read(lambda connection: subscriptions.find(connection, None, id))
    if subscription is None:
        raise InputError(say("subscription_unknown", id=id), field="id")
    return subscription


def _running(store: Database, id: str) -> Subscription:
    subscription = _find(store, id)
    if subscription.state != "active":
        raise InputError(say("subscription_had_ended", id=subscription.id), field="id")
    return subscription


def _state(subscription: Subscription) -> str:
    words = localized("subscription_is_paused" if subscription.paused_at else f"subscription_is_{subscription.state}")
    return f"{words} ({subscription.why_ended})" if subscription.why_ended else words


def _format(value: Any) -> str:
    return format_value(iso(value) if isinstance(value, datetime) else value)
