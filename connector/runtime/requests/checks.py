"""Validates converted inputs against the manifest's rules and its handler's `check`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from connector.core.data import localize
from connector.core.errors import InputError
from connector.core.manifest.model import Action, Lookup, Trigger
from connector.core.messages import Text, filled, say
from connector.core.problems import Problem
from connector.core.rules import Rules, WordedFinding
from connector.runtime.requests.request import handler_function

if TYPE_CHECKING:
    from connector.core.manifest.inputs import Inputs

RESERVED_MARK_PREFIX = "kontor_"


def check(manifest: Action | Lookup | Trigger, inputs: dict[str, Any], today: date | None = None) -> tuple[Text, ...]:
    """Raise `InputError` for the first refusal, with the fields of the others in its details; return the warnings."""
    warnings = check_rules(manifest.rules, inputs, today)
    own = handler_function(manifest, "check")
    if own is not None and isinstance(manifest, Action | Trigger):
        try:
            own(inputs)
        except Problem as problem:
            own_words = manifest.messages.get(problem.name)
            text = filled(own_words, localize.blanks(problem.values)) if own_words else problem.text
            raise InputError(text, field=problem.field, reason=problem.name) from None
    if isinstance(manifest, Action):
        _check_marks(manifest, inputs)
    return warnings


def problems(manifest: Action | Trigger, form: Inputs, raw: Mapping[str, Any]) -> tuple[InputError, ...]:
    """Return everything that is wrong with what was filled in, for a form that shows all at once."""
    found = form.problems(raw)
    if found:
        return found
    inputs = form.clean(raw)
    refused = [one for one in manifest.rules.check(inputs) if not one.warns]
    if refused:
        return tuple(map(_refusal, refused))
    try:
        check(manifest, inputs)
    except InputError as error:
        return (error,)
    return ()


def check_rules(rules: Rules, inputs: Mapping[str, Any], today: date | None = None) -> tuple[Text, ...]:
    """Raise `InputError` for the first refusal of the rules, and return the warnings of those that only warn."""
    findings = list(rules.check(inputs, today))
    refused = [finding for finding in findings if not finding.warns]
    if refused:
        first, *others = map(_refusal, refused)
        raise first.with_others(others)
    return tuple(finding.text for finding in findings if finding.warns)


def _refusal(finding: WordedFinding) -> InputError:
    return InputError(finding.text, field=finding.field, reason=finding.name)


def _check_marks(action: Action, inputs: Mapping[str, Any]) -> None:
    """Refuse names that Kontor itself sends along to find a write again."""
    how = action.read_back
    for name in inputs.get(how.key_field) or () if how else ():
        if name.casefold().startswith(RESERVED_MARK_PREFIX):
            message, remedy = say("mark_reserved", name=name, prefix=RESERVED_MARK_PREFIX), say("mark_reserved_remedy")
            raise InputError(message, remedy=remedy, field=how.key_field if how else None, reason="mark_reserved")
