"""`kontor approvals`: lists the runs that wait for the approval of another person."""

from __future__ import annotations

import argparse
from typing import Any

from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, print_table

COLUMNS = ("id", "action", "person", "until", "reasons", "inputs")


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
        print_table([_row(one) for one in document["runs"]], header=header, indent="")
    return 0


def _row(one: dict[str, Any]) -> list[str]:
    approval = one["approval"]
    reasons = ", ".join(localized(f"approval_because_{reason}") for reason in approval["reasons"])
    person = approval["asked_person"] or localized("approval_owner")
    return [
        one["id"],
        one["action"],
        person,
        format_value(str(approval["expires_at"])),
        reasons,
        format_value(one["inputs"]),
    ]
