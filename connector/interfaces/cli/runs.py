"""`kontor runs`: lists writes or reads and their outcomes, shows one, and settles one whose outcome is unknown."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.problem_kinds import title
from connector.interfaces.cli.administration import ask_host, named_host
from connector.interfaces.cli.colors import colored
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.result_output import print_output
from connector.interfaces.cli.run_text import RunText
from connector.interfaces.cli.session import open_session, open_store

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store.runs import Run

Document = dict[str, Any]
FILTERS = ("state", "action", "key", "kind")
KINDS = ("write", "read")
STATES = (
    *("awaiting_approval", "rejected", "expired"),
    *("claimed", "sending", "done", "refused", "unknown", "settled"),
)
PATH = "/v1/runs"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor runs`."""
    parser.add_argument(
        "what", nargs="?", choices=["show", "settle"], metavar="show|settle", help=localized("help_runs")
    )
    parser.add_argument("id", nargs="?", metavar="ID", help=localized("help_runs_id"))
    parser.add_argument("--state", choices=STATES, metavar="|".join(STATES), help=localized("help_runs_state"))
    parser.add_argument("--action", metavar=localized("metavar_action"), help=localized("help_runs_action"))
    parser.add_argument("--key", metavar=localized("metavar_key"), help=localized("help_runs_key"))
    parser.add_argument("--kind", choices=KINDS, metavar="|".join(KINDS), help=localized("help_runs_kind"))
    decision = parser.add_mutually_exclusive_group()
    decision.add_argument("--happened", action="store_true", help=localized("help_runs_happened"))
    decision.add_argument("--not-happened", action="store_true", help=localized("help_runs_not_happened"))
    waiting = parser.add_mutually_exclusive_group()
    waiting.add_argument("--release", action="store_true", default=None, help=localized("help_runs_release"))
    waiting.add_argument(
        "--no-release", action="store_false", dest="release", default=None, help=localized("help_runs_no_release")
    )
    parser.add_argument("--waiting", type=int, metavar="N", help=localized("help_runs_waiting"))
    parser.add_argument("--note", default="", metavar="TEXT", help=localized("help_runs_note"))


def run(options: argparse.Namespace) -> int:
    """List runs, show one, or settle one."""
    _check(options)
    host = named_host()
    if options.what == "settle":
        if options.release is None and not options.json and sys.stdin.isatty():
            _ask_release(_one(host, options).get("waiting"), options)
        _print_settled(_settled(host, options), options)
    elif options.what == "show":
        _print_one(_one(host, options), as_json=options.json)
    else:
        _print_list(_listed(host, options), as_json=options.json)
    return 0


def _listed(host: str | None, options: argparse.Namespace) -> list[Document]:
    filters = {name: getattr(options, name) for name in FILTERS if getattr(options, name) is not None}
    if host is None:
        with _session() as session:
            return [one.as_dict() for one in session.runs(**filters)]
    found: list[Document] = []
    while page := ask_host(host, "GET", PATH, query=filters, headers=_key())["runs"]:
        found += page
        filters["after"] = page[-1]["id"]
    return found


def _one(host: str | None, options: argparse.Namespace) -> Document:
    if host is None:
        with _session() as session:
            return _shown(session, session.find_run(options.id))
    shown: Document = ask_host(host, "GET", f"{PATH}/{quote(options.id, safe='')}", headers=_key())["run"]
    return shown


def _settled(host: str | None, options: argparse.Namespace) -> Document:
    if host is None:
        with _session() as session:
            about_waiting = {"release": options.release, "waiting": options.waiting}
            return _shown(session, session.settle(options.id, options.happened, options.note, **about_waiting))
    path, names = f"{PATH}/{quote(options.id, safe='')}/settle", ("happened", "note", "release", "waiting")
    body = {name: getattr(options, name) for name in names}
    settled: Document = ask_host(host, "POST", path, body=body, headers=_key())["run"]
    return settled


def _shown(session: Session, found: Run) -> Document:
    waiting = session.waiting(found)
    return found.as_dict() | ({} if waiting is None else {"waiting": waiting.as_dict()})


def _ask_release(waiting: Document | None, options: argparse.Namespace) -> None:
    """Ask once what becomes of all that waits for the run."""
    if waiting is None:
        return
    print(waiting["message"][language()])
    answer = input(localized("runs_release_question")).strip().casefold()[:1]
    options.release = {"y": True, "j": True, "n": False}.get(answer)
    options.waiting = waiting["count"]


@contextmanager
def _session() -> Iterator[Session]:
    with open_session() as (connector, session):
        open_store(connector)
        yield session


def _key() -> dict[str, str]:
    """The API key for a token of the whole host, which works in that key's workspace; others need none."""
    key = os.environ.get("KONTOR_API_KEY", "").strip()
    return {"x-api-key": key} if key else {}


def _check(options: argparse.Namespace) -> None:
    decided = options.happened or options.not_happened
    missing = (
        "ID"
        if options.what and not options.id
        else "--happened|--not-happened"
        if options.what == "settle" and not decided
        else "settle"
        if options.what != "settle"
        and (decided or options.note or options.release is not None or options.waiting is not None)
        else None
    )
    if missing:
        raise InputError(say("argument_missing", names=missing), remedy=say("runs_settle_how"), field=missing)


def _print_settled(settled: Document, options: argparse.Namespace) -> None:
    if options.json:
        print_json({"ok": True, "run": settled})
    else:
        print(localized("run_settled_yes" if options.happened else "run_settled_no", id=settled["id"]))
        if settled.get("waiting"):
            print(settled["waiting"]["message"][language()])
            said = "--happened" if options.happened else "--not-happened"
            print(localized("runs_release_how", id=settled["id"], said=said))


def _print_one(one: Document, *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "run": one})
        return
    text = RunText()
    action, outcome = text.action(one), one["outcome"] or {}
    heading = one["action"] if action is None else f"{action.title.in_(language())} ({one['action']})"
    rows = {
        "id": one["id"],
        "action": heading,
        "state": text.state(one),
        "key": one["key"] or "",
        "person": one.get("person") or one.get("actor") or "",
        "since": text.moment(one["made_at"]),
        "changed": text.moment(one["changed_at"]),
        "answer": _told(outcome),
        "note": outcome.get("note") or "",
        "waiting": one["waiting"]["message"][language()] if one.get("waiting") else "",
    }
    print_table([[localized(f"column_{name}"), value] for name, value in rows.items() if value], indent="")
    if one["inputs"]:
        print("\n" + colored(localized("column_inputs"), "bold"))
        print_table(text.input_rows(one), indent="  ")
    if action is not None and outcome.get("output") is not None:
        print("\n" + colored(localized("column_output"), "bold"))
        print_output(action, outcome["output"], text.catalog.library)


def _told(outcome: Document) -> str:
    """Return what went wrong with a run and its remedy; the message itself was recorded in English."""
    if "kind" not in outcome:
        return ""
    lang = language()
    said = outcome.get("message") if lang == "en" else title(outcome["kind"]).in_(lang)
    parts = (str(said or "").rstrip("."), (outcome.get("remedy") or {}).get(lang, ""))
    return ". ".join(part for part in parts if part)


def _print_list(found: list[Document], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "runs": found})
    elif not found:
        print(localized("runs_none"))
    else:
        columns = ("id", "state", "key", "action", "since", "inputs")
        text = RunText()
        print_table(
            [_row(one, text) for one in found], header=[localized(f"column_{name}") for name in columns], indent=""
        )
        if any(one["state"] == "unknown" for one in found):
            print("\n" + localized("runs_settle_how"))


def _row(one: Document, text: RunText) -> list[str]:
    told = text.state(one), one["key"] or "", one["action"], text.moment(one["made_at"]), text.inputs(one)
    return [one["id"], *told]
