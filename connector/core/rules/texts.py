"""Rules about the characters of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from connector.core.data.templates import all_at, each
from connector.core.rules.finding import Finding, Findings, Form

Inputs = Mapping[str, Any]
_DIGITS = re.compile("[0-9]+")
_INVISIBLE = re.compile("[\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]")


def charset(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """Every character is in a listed range of code points, or among the listed signs."""
    ranges = [tuple(int(end, 16) for end in limits.split("-")) for limits in declared.get("ranges", ())]
    signs = frozenset(declared.get("signs", ""))
    for field in declared["fields"]:
        for position, sign in enumerate(inputs.get(field, ""), start=1):
            values = {"label": form.label(field), "position": position}
            if _INVISIBLE.match(sign):
                yield Finding("invisible", field, {**values, "code": f"U+{ord(sign):04X}"})
                break
            if sign not in signs and not any(first <= ord(sign) <= last for first, last in ranges):
                yield Finding("outside", field, {**values, "sign": sign})
                break


def pattern(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """The text contains an expression, or does not."""
    unwanted = "not" in declared
    search = re.compile(declared["not" if unwanted else "match"]).search
    matches = map(search, all_at(inputs, declared["field"]))
    if not any(matches) if unwanted else all(matches):
        return
    for place, text in each(inputs, declared["field"]):
        if bool(search(text)) is unwanted:
            yield Finding("misfit", place, {"label": form.label(place)})


def digits(declared: Mapping[str, Any], inputs: Inputs, form: Form) -> Findings:
    """A number of as many digits as another input says, or a few more, that does not begin with 0."""
    field = str(declared["field"])
    if field not in inputs or declared["length"] not in inputs:
        return
    number, length = str(inputs[field]), int(inputs[declared["length"]])
    longest = length + int(declared.get("longer", 0))
    named = {"label": form.label(field), "number": number}
    counted = {**named, "digits": len(number), "length": length, "longest": longest}
    if not _DIGITS.fullmatch(number):
        yield Finding("letters", field, named)
    elif number.startswith("0"):
        yield Finding("first", field, named)
    elif len(number) < length:
        yield Finding("short", field, {**counted, "difference": length - len(number)})
    elif len(number) > longest:
        yield Finding("long", field, {**counted, "difference": len(number) - longest})
