"""`kontor audit` checks the audit log and what was sent, and exports it; `kontor rights` shows and clears rights."""

from __future__ import annotations

import argparse
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.administration import call, caller
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, printable
from connector.interfaces.cli.result_output import format_value

VERBS = ("verify", "export")
RIGHTS_VERBS = ("list", "clear")
CHANGED = 5
"""Exit status when the log was changed."""


def audit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor audit`."""
    parser.add_argument("verb", choices=VERBS, metavar="|".join(VERBS), help=localized("help_audit_verb"))
    parser.add_argument("--anchor", metavar="HASH", help=localized("help_audit_anchor"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_audit_workspace"))


def audit_command(options: argparse.Namespace) -> int:
    """Carry out the chosen verb."""
    from connector.operations import audit

    if options.verb == "export":
        if options.anchor:
            raise InputError(say("argument_unknown", names="--anchor"), field="--anchor")
        _export(options)
        return 0
    document = call(audit.verify_log, workspace=options.workspace, anchor=options.anchor)
    if options.json:
        print_json(document)
    else:
        _print(document)
    return 0 if document["ok"] else CHANGED


def _export(options: argparse.Namespace) -> None:
    """Print one entry a line as the pages come; with `--json` all in one document."""
    from connector.core.values import json
    from connector.operations import audit

    whole: list[Any] = []
    after: str | None = None
    with caller() as call:
        while True:
            page = call(audit.list_entries, workspace=options.workspace, after=after)
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
        sendings = chain.get("sendings") or {}  # a host of an earlier version tells of none
        for one in sendings.get("findings", ()):
            print(printable(f"{name}: {one['message'][language()]}"))
        for number, message in (("checked", "audit_sendings_checked"), ("not_known", "audit_sendings_not_known")):
            if sendings.get(number):
                shown = format_value(sendings[number])
                print(localized(message, workspace=name, checked=shown, count=shown))


def rights_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor rights`."""
    verbs = "|".join(RIGHTS_VERBS)
    parser.add_argument(
        "verb", nargs="?", choices=RIGHTS_VERBS, default="list", metavar=verbs, help=localized("help_rights_verb")
    )
    parser.add_argument("subject", nargs="?", metavar="SUBJECT", help=localized("help_rights_subject"))


def rights_command(options: argparse.Namespace) -> int:
    """Show what grants something and does not verify, or clear one of it."""
    from connector.operations import rights

    if options.verb == "list":
        document = call(rights.list_unverified)
        if options.json:
            print_json(document)
        else:
            _print_rights(document["rights"])
        return CHANGED if document["rights"] else 0
    if not options.subject:
        raise InputError(say("argument_missing", names="SUBJECT"), field="SUBJECT")
    document = call(rights.clear_unverified, subject=options.subject)
    if options.json:
        print_json(document)
    else:
        print(printable(localized(f"rights_cleared_{document['became']}", subject=document["subject"])))
    return 0


def _print_rights(found: list[dict[str, Any]]) -> None:
    if not found:
        print(localized("rights_all_verify"))
    for one in found:
        message, since = one["message"], format_value(one["since"])
        words = message[language()] if isinstance(message, dict) else getattr(message, language())
        print(printable(localized("rights_line", subject=one["subject"], message=words, since=since)))
