"""`kontor hooks`: replaces the token in the webhook URL of a workspace."""

from __future__ import annotations

import argparse

from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json

VERBS = ("rotate",)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor hooks`."""
    parser.add_argument("verb", choices=VERBS, metavar="|".join(VERBS), help=localized("help_hooks_verb"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def run(options: argparse.Namespace) -> int:
    """Replace the token; the former one is valid until the service has been told the new URL."""
    from connector.interfaces import administration

    document = administer(
        lambda context: administration.rotate_hook_tokens(context, None, options.workspace),
        "POST",
        "/v1/hooks/rotate",
        query={"workspace": options.workspace},
    )
    if options.json:
        print_json(document)
    else:
        print(localized("hooks_rotated", workspace=document["workspace"]))
    return 0
