"""`kontor parked`: lists writes with unknown outcome, and settles them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.session import open_session, open_store

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store.journal import Entry


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor parked`."""
    parser.add_argument("settle", nargs="?", choices=["settle"], metavar="settle", help=localized("help_parked_settle"))
    parser.add_argument("key", nargs="?", metavar=localized("metavar_key"), help=localized("help_parked_key"))
    parser.add_argument("--happened", choices=["yes", "no"], help=localized("help_parked_happened"))
    parser.add_argument("--note", default="", metavar="TEXT", help=localized("help_parked_note"))


def run(options: argparse.Namespace) -> int:
    """List parked writes, or settle one."""
    for name, given in (("key", options.key), ("--happened", options.happened)):
        if options.settle and not given:
            raise InputError(say("argument_missing", names=name), remedy=say("parked_settle_how"), field=name)
    if not options.settle and (options.happened or options.note):
        raise InputError(say("argument_missing", names="settle"), remedy=say("parked_settle_how"), field="settle")
    with open_session() as (connector, session):
        open_store(connector)
        if options.settle:
            _settle(session, options)
        else:
            _list(session.parked(), as_json=options.json)
    return 0


def _settle(session: Session, options: argparse.Namespace) -> None:
    happened = options.happened == "yes"
    session.settle(options.key, happened, options.note)
    if options.json:
        print_json({"ok": True, "key": options.key, "happened": happened, "note": options.note})
    else:
        print(localized("parked_settled_yes" if happened else "parked_settled_no", key=options.key))


def _list(entries: list[Entry], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "parked": [_as_dict(entry) for entry in entries]})
    elif not entries:
        print(localized("parked_none"))
    else:
        header = [
            localized("column_key"),
            localized("column_action"),
            localized("column_since"),
            localized("column_inputs"),
        ]
        rows = [
            [entry.key, entry.action, format_value(iso(entry.begun_at)), format_value(entry.inputs)]
            for entry in entries
        ]
        print_table(rows, header=header, indent="")
        print("\n" + localized("parked_settle_how"))


def _as_dict(entry: Entry) -> dict[str, object]:
    return {
        "key": entry.key,
        "action": entry.action,
        "inputs": entry.inputs,
        "begun_at": entry.begun_at,
        "changed_at": entry.changed_at,
        "first_error": entry.outcome,
    }
