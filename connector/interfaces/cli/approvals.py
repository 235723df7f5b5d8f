"""`kontor approvals`: lists the runs that wait for the approval of another person."""

from __future__ import annotations

import argparse
from typing import Any

from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.run_text import RunText
from connector.interfaces.question import of_inputs

COLUMNS = ("id", "action", "person", "until", "reasons")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor approvals`."""
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def run(options: argparse.Namespace) -> int:
    """List what waits."""
    from connector.interfaces import approving

    document = administer(
        lambda context: approving.list_approvals(context, None, options.workspace),
        "GET",
        "/v1/approvals",
        query={"workspace": options.workspace},
    )
    if options.json:
        print_json(document)
    elif not document["runs"]:
        print(localized("approvals_none"))
    else:
        header = [localized(f"column_{name}") for name in COLUMNS]
        text = RunText()
        print_table([_row(one, text) for one in document["runs"]], header=header, indent="")
        for one in document["runs"]:
            print(f"\n{one['id']}\n{_question(one, text)}")
    return 0


def _row(one: dict[str, Any], text: RunText) -> list[str]:
    approval = one["approval"]
    reasons = ", ".join(localized(f"approval_because_{reason}") for reason in approval["reasons"])
    person = approval["asked_person"] or localized("approval_owner")
    return [
        one["id"],
        one["action"],
        person,
        text.moment(approval["expires_at"]),
        reasons,
    ]


def _question(one: dict[str, Any], text: RunText) -> str:
    """What is decided about; of an action that is no longer known, its inputs."""
    action = text.action(one)
    if action is None:
        return text.inputs(one)
    return of_inputs(action, one["inputs"], one["approval"]["asked_person"]).text(language())
