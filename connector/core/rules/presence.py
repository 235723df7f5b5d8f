"""Rules about which inputs go together, and about dates in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connector.core.data.templates import at, text_of
from connector.core.messages import Text, quote
from connector.core.rules.finding import Finding, Findings, Form

Inputs = Mapping[str, Any]


def any_of(names: Sequence[str], inputs: Inputs, form: Form) -> Findings:
    """At least one of the inputs is given."""
    if not any(name in inputs for name in names):
        labels = Text(*(", ".join(texts) for texts in zip(*(form.label(name) for name in names), strict=True)))
        yield Finding("missing", names[0], {"labels": labels})


def requires(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """An input only together with certain values of others."""
    field = str(declared["field"])
    if field not in inputs:
        return
    for other, wanted in declared["needs"].items():
        given = inputs.get(other)
        if text_of(given) != text_of(wanted):
            values = {
                "label": form.label(field),
                "other": form.label(other),
                "value": form.choice(other, wanted),
                "given": quote("") if given is None else form.choice(other, given),
            }
            yield Finding("other", field, values)


def order(names: Sequence[str], inputs: Inputs, form: Form) -> Findings:
    """The first date is not after the second."""
    first, second = names
    if first in inputs and second in inputs and inputs[first] > inputs[second]:
        values = {
            "first_label": form.label(first),
            "first": inputs[first],
            "second_label": form.label(second),
            "second": inputs[second],
            "days": (inputs[first] - inputs[second]).days,
        }
        yield Finding("reversed", first, values)


def first_of_month(field: str, inputs: Inputs, form: Form) -> Findings:
    """The date is the first of a month."""
    given = inputs.get(field)
    if given is not None and given.day != 1:
        values = {"label": form.label(field), "given": given, "meant": given.replace(day=1)}
        yield Finding("other_day", field, values)


def not_past(field: str, inputs: Inputs, form: Form) -> Findings:
    """The date is today in Berlin, or later."""
    given = inputs.get(field)
    if given is not None and given < form.today:
        yield Finding("past", field, {"label": form.label(field), "given": given, "today": form.today})


def at_most_one(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """A flag is set in one line at most."""
    name, flag = str(declared["each"]), str(declared["where"])
    flagged = [number for number, line in enumerate(inputs.get(name, ())) if at(line, flag) is True]
    if len(flagged) > 1:
        first, second = flagged[:2]
        values = {"label": form.label(f"{name}[].{flag}"), "first": first + 1, "line": second + 1}
        yield Finding("several", f"{name}[{second}].{flag}", values)
