"""Remembers which alarms have been given since all was last well, so that each is given once and can come again.

As text: `1` while all is well, `1~low` when the alarm "low" has been given. Each recovery begins a new episode; its
number is part of the alarm's id, so that a relapse is not mistaken for a repeat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

MOST_GIVEN = 50
_FORM = re.compile(r"(?P<episode>[0-9]{1,9})(?:~(?P<given>[A-Za-z0-9%._,-]+))?")


@dataclass(frozen=True, slots=True)
class Alarm:
    """Never changed; `give` and `recover` give the next one."""

    episode: int = 1
    given: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str | None) -> Alarm:
        """Reads the text, or begins; raises `ValueError` when it is none of ours."""
        if text is None:
            return cls()
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(f"not a cursor of this trigger: {text[:40]!r}")
        return cls(
            int(found["episode"]), tuple(map(unquote, (found["given"] or "").split(","))) if found["given"] else ()
        )

    def __str__(self) -> str:
        given = ",".join(quote(one, safe="").replace("~", "%7E") for one in self.given)
        return f"{self.episode}~{given}" if given else str(self.episode)

    def give(self, what: str) -> Alarm:
        """After this alarm was given. Beyond a bound nothing more is remembered, nor given."""
        return Alarm(self.episode, (*self.given, what))

    def is_news(self, what: str) -> bool:
        """Whether the alarm has not been given in this episode."""
        return what not in self.given and len(self.given) < MOST_GIVEN

    def recover(self) -> Alarm:
        """After all is well again."""
        return Alarm(self.episode + 1) if self.given else self
