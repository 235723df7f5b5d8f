"""`kontor runs`: lists writes or reads and their outcomes, shows one, and settles one whose outcome is unknown."""

from __future__ import annotations

import argparse
import sys

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.problems import title
from connector.interfaces.cli.administration import Call, Document, caller
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.result_output import RunText, print_output

FILTERS = ("state", "action", "key", "kind")
KINDS = ("write", "read")
STATES = (
    *("awaiting_approval", "rejected", "expired"),
    *("claimed", "sending", "done", "refused", "unknown", "settled"),
)


def runs_arguments(parser: argparse.ArgumentParser) -> None:
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


def runs_command(options: argparse.Namespace) -> int:
    """List runs, show one, or settle one."""
    _check(options)
    from connector.operations import runs

    with caller() as call:
        if options.what == "settle":
            if options.release is None and not options.json and sys.stdin.isatty():
                _ask_release(call(runs.show_run, id=options.id)["run"].get("waiting"), options)
            given = {name: getattr(options, name) for name in ("id", "happened", "note", "release", "waiting")}
            _print_settled(call(runs.settle_run, **given)["run"], options)
        elif options.what == "show":
            _print_one(call(runs.show_run, id=options.id)["run"], as_json=options.json)
        else:
            _print_list(_listed(call, options), as_json=options.json)
    return 0


def _listed(call: Call, options: argparse.Namespace) -> list[Document]:
    from connector.operations import runs

    filters = {name: getattr(options, name) for name in FILTERS}
    listed: list[Document] = []
    while page := call(runs.list_runs, **filters)["runs"]:
        listed += page
        filters["after"] = page[-1]["id"]
    return listed


def _ask_release(waiting: Document | None, options: argparse.Namespace) -> None:
    """Ask once what becomes of all that waits for the run."""
    if waiting is None:
        return
    print(waiting["message"][language()])
    answer = input(localized("runs_release_question")).strip().casefold()[:1]
    options.release = {"y": True, "j": True, "n": False}.get(answer)
    options.waiting = waiting["count"]


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


def _print_one(run: Document, *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "run": run})
        return
    text = RunText()
    action, outcome = text.action(run), run["outcome"] or {}
    heading = run["action"] if action is None else f"{action.title.in_(language())} ({run['action']})"
    rows = {
        "id": run["id"],
        "action": heading,
        "state": text.state(run),
        "key": run["key"] or "",
        "person": run.get("person") or run.get("actor") or "",
        "since": text.moment(run["made_at"]),
        "changed": text.moment(run["changed_at"]),
        "answer": _told(outcome),
        "note": outcome.get("note") or "",
        "waiting": run["waiting"]["message"][language()] if run.get("waiting") else "",
    }
    print_table([[localized(f"column_{name}"), value] for name, value in rows.items() if value], indent="")
    if run["inputs"]:
        print("\n" + colored(localized("column_inputs"), "bold"))
        print_table(text.input_rows(run), indent="  ")
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


def _print_list(listed: list[Document], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "runs": listed})
    elif not listed:
        print(localized("runs_none"))
    else:
        columns = ("id", "state", "key", "action", "since", "inputs")
        text = RunText()
        print_table(
            [_row(run, text) for run in listed], header=[localized(f"column_{name}") for name in columns], indent=""
        )
        if any(run["state"] == "unknown" for run in listed):
            print("\n" + localized("runs_settle_how"))


def _row(run: Document, text: RunText) -> list[str]:
    told = text.state(run), run["key"] or "", run["action"], text.moment(run["made_at"]), text.inputs(run)
    return [run["id"], *told]
