"""Finds what the chosen options of dropdowns are called, where asking for them is free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.errors import KontorError
from connector.core.manifest.model import Action, Lookup
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.form_model import lookup_inputs, missing_for_lookup
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page


async def option_names(page: Page, action: Action, inputs: Mapping[str, Any], calls: PageCalls) -> dict[str, str]:
    """Return the labels of chosen options by field; a list that cannot be had leaves the value as it is."""
    names: dict[str, str] = {}
    for field in action.inputs:
        if field.lookup is None or not isinstance(inputs.get(field.name), str):
            continue
        lookup = page.console.connector.lookup(field.lookup.id)
        given, _ = lookup_inputs(field, inputs)
        if not _is_free(lookup) or missing_for_lookup(lookup.inputs, given):
            continue
        try:
            options = await calls.options(lookup.id, given, page.localize.lang)
        except (KontorError, NoCredential):
            return names
        label = next((one.label for one in options or () if one.value == inputs[field.name]), None)
        if label:
            names[field.name] = label
    return names


def _is_free(lookup: Lookup) -> bool:
    return not (lookup.cost.credits if lookup.cost.dropdown is None else lookup.cost.dropdown)
