"""`kontor runs`: lists writes and their outcomes, shows one, and settles one whose outcome is unknown."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import pretty_json, print_json, print_table
from connector.interfaces.cli.session import open_session, open_store

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store.runs import Run

FILTERS = ("state", "action", "key")
STATES = ("claimed", "sending", "done", "refused", "unknown", "settled")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor runs`."""
    parser.add_argument(
        "what", nargs="?", choices=["show", "settle"], metavar="show|settle", help=localized("help_runs")
    )
    parser.add_argument("id", nargs="?", metavar="ID", help=localized("help_runs_id"))
    parser.add_argument("--state", choices=STATES, metavar="|".join(STATES), help=localized("help_runs_state"))
    parser.add_argument("--action", metavar=localized("metavar_action"), help=localized("help_runs_action"))
    parser.add_argument("--key", metavar=localized("metavar_key"), help=localized("help_runs_key"))
    decision = parser.add_mutually_exclusive_group()
    decision.add_argument("--happened", action="store_true", help=localized("help_runs_happened"))
    decision.add_argument("--not-happened", action="store_true", help=localized("help_runs_not_happened"))
    parser.add_argument("--note", default="", metavar="TEXT", help=localized("help_runs_note"))


def run(options: argparse.Namespace) -> int:
    """List runs, show one, or settle one."""
    _check(options)
    with open_session() as (connector, session):
        open_store(connector)
        if options.what == "settle":
            _settle(session, options)
        elif options.what == "show":
            _show(session.run(options.id), as_json=options.json)
        else:
            filters = {name: getattr(options, name) for name in FILTERS if getattr(options, name) is not None}
            _list(session.runs(**filters), as_json=options.json)
    return 0


def _check(options: argparse.Namespace) -> None:
    decided = options.happened or options.not_happened
    missing = (
        "ID"
        if options.what and not options.id
        else "--happened|--not-happened"
        if options.what == "settle" and not decided
        else "settle"
        if options.what != "settle" and (decided or options.note)
        else None
    )
    if missing:
        raise InputError(say("argument_missing", names=missing), remedy=say("runs_settle_how"), field=missing)


def _settle(session: Session, options: argparse.Namespace) -> None:
    settled = session.settle(options.id, options.happened, options.note)
    if options.json:
        print_json({"ok": True, "run": settled.as_dict()})
    else:
        print(localized("run_settled_yes" if options.happened else "run_settled_no", id=settled.id))


def _show(one: Run, *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "run": one.as_dict()})
    else:
        print(pretty_json(one.as_dict()))


def _list(found: list[Run], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "runs": [one.as_dict() for one in found]})
    elif not found:
        print(localized("runs_none"))
    else:
        header = [
            localized("column_id"),
            localized("column_state"),
            localized("column_key"),
            localized("column_action"),
            localized("column_since"),
            localized("column_inputs"),
        ]
        rows = [
            [one.id, one.state, one.key or "", one.action, format_value(iso(one.made_at)), format_value(one.inputs)]
            for one in found
        ]
        print_table(rows, header=header, indent="")
        if any(one.state == "unknown" for one in found):
            print("\n" + localized("runs_settle_how"))
