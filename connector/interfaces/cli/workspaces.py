"""`kontor workspaces`: creates and lists workspaces."""

from __future__ import annotations

import argparse

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, print_table

VERBS = ("create", "list")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor workspaces`."""
    help = localized("help_workspaces_verb")
    parser.add_argument("verb", nargs="?", default="list", choices=VERBS, metavar="|".join(VERBS), help=help)
    parser.add_argument("name", nargs="?", metavar="NAME", help=localized("help_workspaces_name"))


def run(options: argparse.Namespace) -> int:
    """Create a workspace, or list all."""
    from connector.interfaces import administration

    if options.verb == "create":
        if not options.name:
            raise InputError(say("argument_missing", names="NAME"), field="NAME")
        name = options.name
        document = administer(
            lambda context: administration.create_workspace(context, name),
            "POST",
            "/v1/workspaces",
            body={"name": name},
        )
    else:
        document = administer(lambda context: administration.list_workspaces(context, None), "GET", "/v1/workspaces")
    if options.json:
        print_json(document)
    elif options.verb == "create":
        print(localized("workspace_created", name=document["name"]))
    elif not document["workspaces"]:
        print(localized("workspaces_none"))
    else:
        print_table([[one["name"], format_value(one["keys"])] for one in document["workspaces"]], right={1}, indent="")
    return 0
