"""The lint of a Make app, part of every export: rules in our own words, since no Make is there to judge a package."""

from __future__ import annotations

from connector.export.make.lint import forms, index, requests, review
from connector.export.make.lint.app import MakeApp
from connector.export.shape import Export, Finding, secrets_in


def lint(export: Export) -> tuple[Finding, ...]:
    """What the rules find."""
    app = MakeApp.read(export)
    if isinstance(app, Finding):
        return (app,)
    found: list[Finding] = []
    for room in (index, requests, forms, review):
        for rule in room.RULES:
            found += rule(app)
    return (*found, *secrets_in(export))
