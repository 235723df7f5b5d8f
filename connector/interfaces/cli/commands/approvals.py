"""`kontor approvals`, `approve`, `reject` and `policy`: what waits for another person, and what a workspace allows."""

from __future__ import annotations

import argparse
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.interfaces.cli.administration import call
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.result_output import RunText, format_value
from connector.interfaces.question import of_inputs

COLUMNS = ("id", "action", "person", "until", "reasons")
WAITING_STATUS = 7
"""The exit status of what waits for another person."""
POLICY_VERBS = ("show", "set", "waiting", "approve", "reject")


def approvals_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor approvals`."""
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def approvals_command(options: argparse.Namespace) -> int:
    """List the runs that wait for approval."""
    from connector.operations import runs

    document = call(runs.list_approvals, workspace=options.workspace)
    if options.json:
        print_json(document)
    else:
        _print_list(document["runs"])
    return 0


def approve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor approve`."""
    parser.add_argument("run", metavar="RUN", help=localized("help_approval_run"))


def approve_command(options: argparse.Namespace) -> int:
    """Approve a run that waits; the host then sends it."""
    from connector.operations import runs

    return _print_decision(call(runs.approve_run, id=options.run), "run_approved", as_json=options.json)


def reject_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor reject`."""
    approve_arguments(parser)
    parser.add_argument("--why", metavar="T", help=localized("help_approval_why"))


def reject_command(options: argparse.Namespace) -> int:
    """Reject a run that waits; it is not sent."""
    from connector.operations import runs

    rejected = call(runs.reject_run, id=options.run, why=options.why or None)
    return _print_decision(rejected, "run_rejected", as_json=options.json)


def _print_decision(document: dict[str, Any], decided: str, *, as_json: bool) -> int:
    if as_json:
        print_json(document)
    else:
        print(localized(decided, id=document["run"]["id"]))
    return 0


def _print_list(waiting: list[dict[str, Any]]) -> None:
    if not waiting:
        print(localized("approvals_none"))
        return
    header = [localized(f"column_{name}") for name in COLUMNS]
    text = RunText()
    print_table([_row(run, text) for run in waiting], header=header, indent="")
    for run in waiting:
        print(f"\n{run['id']}\n{_question(run, text)}")


def _row(run: dict[str, Any], text: RunText) -> list[str]:
    approval = run["approval"]
    reasons = ", ".join(localized(f"approval_because_{reason}") for reason in approval["reasons"])
    person = approval["asked_person"] or localized("approval_owner")
    return [run["id"], run["action"], person, text.moment(approval["expires_at"]), reasons]


def _question(run: dict[str, Any], text: RunText) -> str:
    """What is decided about; of an action that is no longer known, its inputs."""
    action = text.action(run)
    if action is None:
        return text.inputs(run)
    approval = run["approval"]
    warnings = [Text(one["en"], one["de"]) for one in approval.get("warnings", ())]
    return of_inputs(action, run["inputs"], approval["asked_person"]).warning(warnings).text(language())


def policy_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor policy`."""
    help = localized("help_policy_verb")
    parser.add_argument(
        "verb", nargs="?", default="show", choices=POLICY_VERBS, metavar="|".join(POLICY_VERBS), help=help
    )
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help=localized("help_policy_values"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def policy_command(options: argparse.Namespace) -> int:
    """Show the policy, or change it."""
    if options.verb in {"waiting", "approve", "reject"}:
        return _policy_change(options)
    if bool(options.values) != (options.verb == "set"):
        raise InputError(say("argument_missing", names="set NAME=VALUE"), field="NAME=VALUE")
    from connector.operations import money

    if options.verb == "set":
        given = dict(_policy_pair(text) for text in options.values)
        document = call(money.set_policy, given=given, workspace=options.workspace)
    else:
        document = call(money.show_policy, workspace=options.workspace)
    if options.json:
        print_json(document)
    else:
        rows = [
            [name, _policy_value(value), localized(f"policy_{name}_meaning")]
            for name, value in document["policy"].items()
        ]
        print_table(rows, header=[localized(f"column_{name}") for name in ("name", "value", "meaning")], indent="")
        if "waiting" in document:
            print("\n" + localized("policy_loosening_waits", settings=", ".join(document["waiting"]["settings"])))
            print(localized("policy_change_waits_as", id=document["waiting"]["id"]))
    return WAITING_STATUS if "waiting" in document else 0


def _policy_change(options: argparse.Namespace) -> int:
    """List what would loosen a policy and waits, or decide about one change."""
    from connector.operations import policy_changes

    if options.verb == "waiting":
        document = call(policy_changes.list_policy_changes, workspace=options.workspace)
    elif len(options.values) != 1:
        raise InputError(say("argument_missing", names="ID"), field="ID")
    else:
        approve = options.verb == "approve"
        decide = policy_changes.approve_policy_change if approve else policy_changes.reject_policy_change
        document = call(decide, id=options.values[0])
    if options.json:
        print_json(document)
    elif options.verb != "waiting":
        print(localized(f"policy_change_{document['state']}", id=document["id"]))
    elif not document["changes"]:
        print(localized("policy_changes_none"))
    else:
        for change in document["changes"]:
            values = ", ".join(
                f"{name}: {_policy_value(change['before'][name])} → {_policy_value(value)}"
                for name, value in change["after"].items()
            )
            print(f"{change['id']}  {change['workspace']}  {change['asked_person'] or ''}  {values}")
    return 0


def _policy_pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise InputError(say("argument_missing", names="NAME=VALUE"), field=text[:64])
    return name.strip(), value


def _policy_value(value: Any) -> str:
    if value is None or value == []:
        return "–"
    return ", ".join(value) if isinstance(value, list) else format_value(value)
