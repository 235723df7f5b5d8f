"""`kontor audit`: checks that nobody has changed the audit log, and exports it."""

from __future__ import annotations

import argparse
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, printable

VERBS = ("verify", "export")
PATH = "/v1/audit"
CHANGED = 5
"""Exit status when the log was changed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor audit`."""
    parser.add_argument("verb", choices=VERBS, metavar="|".join(VERBS), help=localized("help_audit_verb"))
    parser.add_argument("--anchor", metavar="HASH", help=localized("help_audit_anchor"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_audit_workspace"))


def run(options: argparse.Namespace) -> int:
    """Carry out the chosen verb."""
    if options.verb == "export":
        if options.anchor:
            raise InputError(say("argument_unknown", names="--anchor"), field="--anchor")
        _export(options)
        return 0
    document = _verify(options)
    if options.json:
        print_json(document)
    else:
        _print(document)
    return 0 if document["ok"] else CHANGED


def _verify(options: argparse.Namespace) -> dict[str, Any]:
    from connector.interfaces import audit_log

    return administer(
        lambda context: audit_log.verify(context, None, options.workspace, options.anchor),
        "GET",
        f"{PATH}/verify",
        query={"workspace": options.workspace, "anchor": options.anchor},
    )


def _export(options: argparse.Namespace) -> None:
    """Print one entry a line as the pages come; with `--json` all in one document."""
    from connector.core.values import json

    whole: list[Any] = []
    after: str | None = None
    while True:
        page = _page(options.workspace, after)
        if options.json:
            whole += page["entries"]
        else:
            for entry in page["entries"]:
                print(json.encode(entry).decode())
        after = page["next"]
        if after is None:
            break
    if options.json:
        print_json({"ok": True, "entries": whole})


def _page(workspace: str | None, after: str | None) -> dict[str, Any]:
    from connector.interfaces import audit_log

    return administer(
        lambda context: audit_log.entries(context, None, workspace, after),
        "GET",
        PATH,
        query={"workspace": workspace, "after": after},
    )


def _print(document: dict[str, Any]) -> None:
    if not document["chains"]:
        print(localized("audit_none"))
    for chain in document["chains"]:
        name, finding = chain["workspace"] or localized("whole_host"), chain["finding"]
        if finding is None:
            count, anchor = format_value(chain["entries"]), chain["anchor"] or ""
            print(localized("audit_intact", workspace=name, entries=count, anchor=anchor))
        else:
            print(printable(f"{name}: {finding['message'][language()]}"))
