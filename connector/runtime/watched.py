"""Those that a trigger watches one by one, where no input names one of them: which are known, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connector.client import Call
from connector.core.errors import InputError
from connector.core.manifest.model import Each, Trigger
from connector.core.messages import say
from connector.core.polls.alarm import Alarm
from connector.core.polls.page import Row
from connector.core.reasons import reason_of
from connector.core.wire import Wire
from connector.runtime.request import build_call

KNOWN_FROM = "_known_from"
BEFORE, EVENTS, CONNECTS = "before", "events", "connects"
"""How one is known that the lookup does not list: from an earlier poll, an event, or a connect begun here."""


def known_before(trigger: Trigger, cursor: str | None) -> dict[str, str]:
    """Return those that the cursor knows of."""
    if not isinstance(trigger.poll, Alarm):
        raise TypeError(f"{trigger.id} watches nothing one by one")
    try:
        return dict.fromkeys(trigger.poll.known(cursor), BEFORE)
    except ValueError as error:
        raise InputError(say("cursor_invalid", why=reason_of(error)), field="cursor", reason="cursor_invalid") from None


def each_of(trigger: Trigger) -> Each:
    """Return what the trigger watches one by one."""
    each = trigger.each
    if each is None:
        raise TypeError(f"{trigger.id} watches nothing one by one")
    return each


def call_for(trigger: Trigger, inputs: Mapping[str, Any], id: str, wire: Wire) -> Call:
    """Build the request for one of them."""
    return build_call(trigger, {**inputs, each_of(trigger).input: id}, wire)


def with_origin(trigger: Trigger, row: Row, id: str, how: str) -> Row:
    """Return the row of one of them with its id and how it is known."""
    return {**row, each_of(trigger).id: id, KNOWN_FROM: how}


def watched(trigger: Trigger, rows: Sequence[Row]) -> tuple[dict[str, str], ...]:
    """Return which were watched, and how they are known."""
    id = each_of(trigger).id
    return tuple({"id": str(row[id]), "known_from": str(row[KNOWN_FROM])} for row in rows)
