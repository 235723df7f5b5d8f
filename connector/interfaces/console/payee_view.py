"""Shows whether a payee was paid before, and what differs from the last payment to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connector.core.manifest.model import Action
from connector.interfaces.console.input_facts import input_facts
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.payee_history import PastPayment, differences
from connector.interfaces.console.widgets import Text, box


def show_past(page: Page, action: Action, inputs: Mapping[str, Any], past: Sequence[PastPayment]) -> None:
    """Say that it is the first payment to the payee, or how it differs from the last one."""
    localize = page.localize
    if not past:
        Text("p", localize("payee_new"), "notice warn")
        return
    last = past[0]
    at = localize.date_time(last.at) if last.at else ""
    changed = differences(action, inputs, last)
    if not changed:
        Text("p", localize("payee_same", at=at), "quiet")
        return
    names = {name for name, _, _ in changed}
    before, now = (
        {fact.name: fact for fact in input_facts(action.inputs, values, localize).facts}
        for values in (last.row, inputs)
    )
    with box("notice"):
        Text("strong", localize("payee_changed", at=at))
        with box("", "ul"):
            for name in (field.name for field in action.inputs if field.name in names):
                fact, then = now[name], before[name]
                Text("li", localize("payee_difference", label=fact.label, then=then.value, now=fact.value))
