"""Options of lookups that ask nobody: written into a package as they are, with years counted from the current one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from connector.core.manifest.model import Lookup
from connector.runtime.handlers import required

YEAR = re.compile(r"(?<![0-9])([0-9]{4})(?![0-9])")
SOME_YEAR = 2000
Part = str | int
"""A piece of text, or a year: how many years from now."""


@dataclass(frozen=True, slots=True)
class LocalOption:
    """One option, in pieces."""

    value: tuple[Part, ...]
    label: tuple[Part, ...]

    @property
    def lasting(self) -> bool:
        """Whether it is the same in every year."""
        return all(isinstance(part, str) for part in (*self.value, *self.label))


def local_options(lookup: Lookup) -> tuple[LocalOption, ...]:
    """The options of a lookup without a request."""
    now, later = _options(lookup, SOME_YEAR), _options(lookup, SOME_YEAR + 1)
    if now == later:
        return tuple(LocalOption((value,), (label,)) for value, label in now)
    counted = tuple(LocalOption(_parts(value, SOME_YEAR), _parts(label, SOME_YEAR)) for value, label in now)
    again = tuple(LocalOption(_parts(value, SOME_YEAR + 1), _parts(label, SOME_YEAR + 1)) for value, label in later)
    if counted != again:
        raise ValueError(f"the options of {lookup.id} change in a way that is not counted in years")
    return counted


def _options(lookup: Lookup, year: int) -> list[tuple[str, str]]:
    options = required(lookup, "options")([], {}, date(year, 7, 1))
    return [(option["value"], option["label"]) for option in options]


def _parts(text: str, year: int) -> tuple[Part, ...]:
    pieces = YEAR.split(text)
    return tuple(int(piece) - year if at % 2 else piece for at, piece in enumerate(pieces) if piece)
