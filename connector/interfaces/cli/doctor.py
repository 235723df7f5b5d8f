"""`kontor doctor`: what is right and wrong with this credential."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from connector.interfaces.cli.failure import without_key
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import harmless, print_json, print_table
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.session import opened, store_of
from connector.runtime.doctor import Finding, examine

SIGNS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "problem": ("✗", "red")}
WIDTH = 26


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor doctor` understands."""
    parser.add_argument("--wire", action="store_true", help=tell("help_doctor_wire"))
    parser.add_argument("--rights", action="store_true", help=tell("help_doctor_rights"))


def run(options: argparse.Namespace) -> int:
    """Examines the credential of the environment; the exit status is the first problem's."""
    findings = []
    with opened() as (connector, session):
        store_of(connector)
        for finding in examine(connector, session, rights=options.rights):
            findings.append(finding)
            if not options.json:
                _print(finding, wire=options.wire)
    errors = [finding.error for finding in findings if finding.error]
    if options.json:
        document = {"ok": not errors, "findings": [_as_dict(finding) for finding in findings]}
        print_json(without_key({**document, "error": errors[0].as_dict(language())} if errors else document))
    return errors[0].exit_status if errors else 0


def _print(finding: Finding, *, wire: bool) -> None:
    sign, colour = SIGNS[finding.state]
    topic = tell(f"topic_{finding.topic.lower().replace(' ', '_')}")
    lines = [finding.message.in_(language())]
    if finding.remedy:
        lines.append("→ " + finding.remedy.in_(language()))
    if finding.error and finding.error.reconnect_url:
        lines.append("→ " + finding.error.reconnect_url)
    print(f"{paint(sign, colour)} {topic:<{WIDTH}}{harmless(without_key(lines[0]))}")
    for line in lines[1:]:
        print(f"  {'':<{WIDTH}}{harmless(without_key(line))}")
    if finding.topic == "wire names":
        print_table(_wire_rows(finding.details, whole=wire), indent="    ")


def _wire_rows(names: dict[str, Any], *, whole: bool) -> Iterator[list[str]]:
    """The names that were given; with `--wire` all, each with its reason and the sentence that leaves it open."""
    for key, name in names.items():
        if whole:
            yield [key, str(name["value"]), name["because"]]
            yield ["", "", tell("quoted", text=name["open"])]
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
