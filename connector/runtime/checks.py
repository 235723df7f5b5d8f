"""Validates converted inputs against the manifest's rules and its handler's `check`."""

from __future__ import annotations

from typing import Any

from connector.core.errors import InputError
from connector.core.manifest.model import Action, Lookup, Trigger
from connector.core.messages import Text
from connector.core.problem import Problem
from connector.runtime.code import handler_function


def check(manifest: Action | Lookup | Trigger, inputs: dict[str, Any]) -> tuple[Text, ...]:
    """Raise `InputError` for the first refusal, with the fields of the others in its details; return the warnings."""
    told = list(manifest.rules.check(inputs))
    refused = [one for one in told if not one.warns]
    if refused:
        first, others = refused[0], sorted({one.field for one in refused[1:]})
        details = {"also": others} if others else None
        raise InputError(first.text, field=first.field, details=details, reason=first.name)
    own = handler_function(manifest, "check")
    if own is not None and isinstance(manifest, Action | Trigger):
        try:
            own(inputs)
        except Problem as problem:
            en, de = (sentence.format(**problem.values) for sentence in manifest.messages[problem.name])
            raise InputError(Text(en, de), field=problem.field, reason=problem.name) from None
    return tuple(one.text for one in told if one.warns)
