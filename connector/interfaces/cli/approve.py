"""`kontor approve RUN`: approves a run that waits; the host then sends it."""

from __future__ import annotations

import argparse

from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor approve`."""
    parser.add_argument("run", metavar="RUN", help=localized("help_approval_run"))


def run(options: argparse.Namespace) -> int:
    """Approve the run."""
    return decide(options, approve=True, why="")


def decide(options: argparse.Namespace, *, approve: bool, why: str) -> int:
    """Approve or reject the run that the arguments name."""
    from urllib.parse import quote

    from connector.interfaces import approving

    document = administer(
        lambda context: approving.decide_run(context, None, options.run, approve=approve, why=why),
        "POST",
        f"/v1/runs/{quote(options.run, safe='')}/{'approve' if approve else 'reject'}",
        body={"why": why or None},
    )
    if options.json:
        print_json(document)
    else:
        print(localized("run_approved" if approve else "run_rejected", id=document["run"]["id"]))
    return 0
