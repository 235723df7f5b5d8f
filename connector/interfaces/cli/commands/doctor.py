"""`kontor doctor`: checks the credential and its settings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.core.messages import Text, say
from connector.interfaces.cli.administration import call, named_host
from connector.interfaces.cli.failure import redact_key
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json, print_table, printable
from connector.interfaces.cli.session import open_session, open_store
from connector.runtime.doctor import Finding, examine
from connector.store.trust import workspaces

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.banks import Bank
    from connector.runtime.connector import Connector
    from connector.runtime.session import Session

MAX_BANKS = 12
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
        for finding in chain(examine(connector, session, rights=options.rights), _attention(connector, session)):
            findings.append(finding)
            if not options.json:
                _print(finding, wire=options.wire)
    errors = [finding.error for finding in findings if finding.error]
    if options.json:
        document = {"ok": not errors, "findings": [_as_dict(finding) for finding in findings]}
        print_json(redact_key({**document, "error": errors[0].as_dict(language())} if errors else document))
    return errors[0].exit_status if errors else 0


def _attention(connector: Connector, session: Session) -> Iterator[Finding]:
    """What needs a person: as the host that the environment names tells it, else as it is stored here."""
    from connector.durable.upkeep.attention import attention_items, bank_item
    from connector.operations import attention

    if named_host() is not None:
        yield from map(_told_finding, call(attention.show_attention)["items"] or [None])
        return
    now = session.clock.utcnow()
    items = connector.database.read(
        lambda store: attention_items(store, connector, _workspace(store, session.credential.fingerprint), now)
    )
    known = {item.subject for item in items}
    shown = (bank_item(connector, bank) for bank in _banks(connector, session) if bank.id not in known)
    yield from attention.findings_of([*items, *filter(None, shown)])


def _told_finding(item: dict[str, Any] | None) -> Finding:
    if item is None:
        return Finding("attention", "ok", say("needs_none"))
    return Finding("attention", "problem", Text(**item["message"]), Text(**item["remedy"]), details=item)


def _workspace(store: Connection, fingerprint: str) -> str:
    known = workspaces.of_key(store, fingerprint)
    return known or os.environ.get("KONTOR_WORKSPACE", "").strip() or workspaces.DEFAULT


def _banks(connector: Connector, session: Session) -> Iterator[Bank]:
    """The bank connections that payments name, as the service shows them now; where no host runs nobody keeps them."""
    from connector.durable.banks import read_bank

    with suppress(KontorError):  # that the key does not work is told already
        for option in session.options(connector.roles["bank_connection_options"], {}).options[:MAX_BANKS]:
            shown = session.invoke(session.id_for("bank_connection"), {"id": option.value}).output
            yield read_bank(connector, option.value, shown, session.clock.utcnow())


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
