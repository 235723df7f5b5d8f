"""Options of lookups that ask nobody: written into a package as they are, with years counted from the current one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from connector.core.data.options import steps, year_row
from connector.core.manifest.model import Lookup

YEAR = "\N{INFORMATION SEPARATOR ONE}" * 4
"""Stands in a text where the four digits of the year come."""
Part = str | int
"""A piece of text, or a year: how many years from now."""


@dataclass(frozen=True, slots=True)
class LocalOption:
    """One option, in pieces."""

    value: tuple[Part, ...]
    label: tuple[Part, ...]


def local_options(lookup: Lookup, lang: str) -> tuple[LocalOption, ...]:
    """The options of a lookup without a request, in one language."""
    years = lookup.options.declared.get("years")
    if years is None:
        entries = lookup.options.entries([], date.min, lang=lang)
        return tuple(LocalOption((entry.value,), (entry.label,)) for entry in entries)
    option = lookup.options.entry(year_row(YEAR), lang=lang)
    if option is None:
        raise ValueError(f"the years of {lookup.id} have no value")
    return tuple(LocalOption(_parts(option.value, step), _parts(option.label, step)) for step in steps(years))


def _parts(text: str, step: int) -> tuple[Part, ...]:
    first, *rest = text.split(YEAR)
    return tuple(part for part in (first, *(part for piece in rest for part in (step, piece))) if part != "")
