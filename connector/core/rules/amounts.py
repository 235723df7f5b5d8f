"""Rules about amounts: sums, zero, bounds and fixed values."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from connector.core.data.templates import all_at, each, text_of
from connector.core.rules.finding import Finding, Findings, Form
from connector.core.values.money import as_money, total, with_cents

Inputs = Mapping[str, Any]


def sum_(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """The amounts at a path add up to an input, to the last digit. Lines of both signs are legal."""
    field = str(declared["equals"])
    amounts = all_at(inputs, declared["of"]) if field in inputs else []
    if not amounts:
        return
    added = total(amounts)
    difference = total([added, inputs[field].copy_negate()])
    if not difference:
        return
    values = {
        "label": form.label(field),
        "count": len(amounts),
        "sum": with_cents(added),
        "total": with_cents(inputs[field]),
        "difference": with_cents(difference.copy_abs()),
        "currency": text_of(inputs.get(declared.get("currency", ""))),
    }
    turned = [place for place, amount in enumerate(amounts, start=1) if total([amount, amount]) == difference]
    if turned:
        yield Finding("sign", field, {**values, "line": turned[0]})
    else:
        yield Finding("differs", field, values)


def derived_sum(declared: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The input that is the sum, where it was left out and can be told."""
    field = str(declared["equals"])
    amounts = all_at(inputs, declared["of"]) if field not in inputs else []
    return {field: total(amounts)} if amounts else {}


def not_zero(path: str, inputs: Inputs, form: Form) -> Findings:
    """The amount is not 0."""
    if all(all_at(inputs, path)):
        return
    for place, amount in each(inputs, path):
        if amount == 0:
            yield Finding("zero", place, {"label": form.label(path)})


def range_(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """The amount is within bounds; `above` and `below` exclude the bound itself."""
    field = str(declared["field"])
    if field not in inputs:
        return
    value = as_money(inputs[field])

    def finding(reason: str, limit: Decimal) -> Finding:
        difference = total([value, limit.copy_negate()]).copy_abs()
        amounts = {"value": with_cents(value), "limit": limit, "difference": with_cents(difference)}
        return Finding(reason, field, {"label": form.label(field), **amounts})

    bounds = {name: as_money(str(declared[name])) for name in ("above", "least", "below", "most") if name in declared}
    if ("above" in bounds and value <= bounds["above"]) or ("least" in bounds and value < bounds["least"]):
        yield finding("too_small", bounds.get("above", bounds.get("least", Decimal(0))))
    elif ("below" in bounds and value >= bounds["below"]) or ("most" in bounds and value > bounds["most"]):
        yield finding("too_large", bounds.get("below", bounds.get("most", Decimal(0))))


def equals(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """The input is one fixed value."""
    field, wanted = str(declared["field"]), declared["value"]
    if field in inputs and text_of(inputs[field]) != text_of(wanted):
        given = form.choice(field, inputs[field])
        values = {"label": form.label(field), "given": given, "value": form.choice(field, wanted)}
        yield Finding("other", field, values)
