"""`kontor parked`: writes of which nobody knows whether they happened, and how a person settles them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.cells import cell
from connector.interfaces.cli.language import tell
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.session import opened, store_of

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store.journal import Entry


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor parked` understands."""
    parser.add_argument("settle", nargs="?", choices=["settle"], metavar="settle", help=tell("help_parked_settle"))
    parser.add_argument("key", nargs="?", metavar=tell("metavar_key"), help=tell("help_parked_key"))
    parser.add_argument("--happened", choices=["yes", "no"], help=tell("help_parked_happened"))
    parser.add_argument("--note", default="", metavar="TEXT", help=tell("help_parked_note"))


def run(options: argparse.Namespace) -> int:
    """Lists what is parked, or settles one of them."""
    for name, given in (("key", options.key), ("--happened", options.happened)):
        if options.settle and not given:
            raise InputError(say("argument_missing", names=name), remedy=say("parked_settle_how"), field=name)
    if not options.settle and (options.happened or options.note):
        raise InputError(say("argument_missing", names="settle"), remedy=say("parked_settle_how"), field="settle")
    with opened() as (connector, session):
        store_of(connector)
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
        print(tell("parked_settled_yes" if happened else "parked_settled_no", key=options.key))


def _list(entries: list[Entry], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "parked": [_as_dict(entry) for entry in entries]})
    elif not entries:
        print(tell("parked_none"))
    else:
        header = [tell("column_key"), tell("column_action"), tell("column_since"), tell("column_inputs")]
        rows = [[entry.key, entry.action, cell(iso(entry.begun_at)), cell(entry.inputs)] for entry in entries]
        print_table(rows, header=header, indent="")
        print("\n" + tell("parked_settle_how"))


def _as_dict(entry: Entry) -> dict[str, object]:
    return {
        "key": entry.key,
        "action": entry.action,
        "inputs": entry.inputs,
        "begun_at": entry.begun_at,
        "changed_at": entry.changed_at,
        "first_error": entry.outcome,
    }
