"""`kontor doctor`: checks the credential and its settings."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from connector.interfaces.cli.failure import redact_key
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json, print_table, printable
from connector.interfaces.cli.session import open_session, open_store
from connector.runtime.doctor import Finding, examine

SIGNS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "problem": ("✗", "red")}
WIDTH = 26


def doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor doctor`."""
    parser.add_argument("--wire", action="store_true", help=localized("help_doctor_wire"))
    parser.add_argument("--rights", action="store_true", help=localized("help_doctor_rights"))


def doctor_command(options: argparse.Namespace) -> int:
    """Check the credential of the environment; the exit status is the first problem's."""
    findings = []
    with open_session() as (connector, session):
        open_store(connector)
        for finding in examine(connector, session, rights=options.rights):
            findings.append(finding)
            if not options.json:
                _print(finding, wire=options.wire)
    errors = [finding.error for finding in findings if finding.error]
    if options.json:
        document = {"ok": not errors, "findings": [_as_dict(finding) for finding in findings]}
        print_json(redact_key({**document, "error": errors[0].as_dict(language())} if errors else document))
    return errors[0].exit_status if errors else 0


def _print(finding: Finding, *, wire: bool) -> None:
    sign, color = SIGNS[finding.state]
    topic = localized(f"topic_{finding.topic.lower().replace(' ', '_')}")
    lines = [finding.message.in_(language())]
    if finding.remedy:
        lines.append("→ " + finding.remedy.in_(language()))
    if finding.error and finding.error.reconnect_url:
        lines.append("→ " + finding.error.reconnect_url)
    print(f"{colored(sign, color)} {topic:<{WIDTH}}{printable(redact_key(lines[0]))}")
    for line in lines[1:]:
        print(f"  {'':<{WIDTH}}{printable(redact_key(line))}")
    if finding.topic == "wire names":
        print_table(_wire_rows(finding.details, all_names=wire), indent="    ")


def _wire_rows(names: dict[str, Any], *, all_names: bool) -> Iterator[list[str]]:
    """Yield the overridden wire names; with `--wire` all of them, with reason and source."""
    for key, name in names.items():
        if all_names:
            yield [key, str(name["value"]), name["because"]]
            yield ["", "", localized("quoted", text=name["open"])]
        elif name["given"]:
            yield [key, str(name["value"])]


def _as_dict(finding: Finding) -> dict[str, object]:
    return {
        "topic": finding.topic,
        "state": finding.state,
        "message": finding.message.in_(language()),
        "remedy": finding.remedy and finding.remedy.as_dict(),
        "error": finding.error and finding.error.as_dict(language()),
        "details": finding.details,
    }
