"""The lint of a Power Automate connector, part of every export: our own rules for what the platform refuses."""

from __future__ import annotations

from connector.export.power_automate.lint import document, operations, references, schemas
from connector.export.power_automate.lint.connector import PowerConnector
from connector.export.shape import Export, Finding, secrets_in


def lint(export: Export) -> tuple[Finding, ...]:
    """What the rules find."""
    connector = PowerConnector.read(export)
    if isinstance(connector, Finding):
        return (connector,)
    found: list[Finding] = []
    for room in (document, operations, schemas, references):
        for rule in room.RULES:
            found += rule(connector)
    return (*found, *secrets_in(export))
