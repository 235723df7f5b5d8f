"""`kontor reject RUN`: rejects a run that waits for approval; it is not sent."""

from __future__ import annotations

import argparse

from connector.interfaces.cli.approve import decide
from connector.interfaces.cli.language import localized


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor reject`."""
    parser.add_argument("run", metavar="RUN", help=localized("help_approval_run"))
    parser.add_argument("--why", default="", metavar="T", help=localized("help_approval_why"))


def run(options: argparse.Namespace) -> int:
    """Reject the run."""
    return decide(options, approve=False, why=options.why)
