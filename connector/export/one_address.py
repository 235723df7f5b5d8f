"""Formats with one operation for each method and path hold one action there; of several, the others are named."""

from __future__ import annotations

from collections.abc import Iterable

from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.core.wire import Wire
from connector.export.service_request import service_request
from connector.export.shape import Dropped
from connector.export.unexpressed import without_picks


def told_apart(actions: Iterable[Action], wire: Wire) -> tuple[list[Action], list[Dropped]]:
    """The actions that can stand side by side, in their order, and those whose place is another's.

    The one with the most inputs stays: it can do what the others do. Nothing there takes one item out of a list.
    """
    actions, picking = without_picks(actions)
    holder: dict[tuple[str, str], Action] = {}
    for action in sorted(actions, key=lambda one: (-len(one.inputs), one.id)):
        for address in _addresses(action, wire):
            holder.setdefault(address, action)
    kept: list[Action] = []
    dropped: list[Dropped] = [*picking]
    for action in actions:
        lost = next((address for address in _addresses(action, wire) if holder[address] is not action), None)
        if lost is None:
            kept.append(action)
        else:
            reason = say("left_out_address_taken", method=lost[0], path=lost[1], other=holder[lost].id)
            dropped.append(Dropped("action", action.id, reason))
    return kept, dropped


def _addresses(action: Action, wire: Wire) -> list[tuple[str, str]]:
    request = service_request(action, wire)
    if request is None:
        return []
    return [(request.method, path) for path, _ in request.addresses]
