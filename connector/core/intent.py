"""What a caller means by running an action. Pure.

Every adapter puts what it knows into this one structure, and every way to run an action takes it whole: in-process,
over HTTP (`POST /v1/actions/{id}/run`) and in the packages for Node platforms, whose `Intent` has the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Intent:
    """What is meant. `guarded` and `agent` only tighten: leaving them out never holds back more."""

    key: str | None = None
    """Names the write, and stays the same over the platform's own retries."""
    again: bool = False
    """A person has said that it is meant although an equal one was made."""
    guarded: bool = False
    """The key may be a new one for something that was done: an equal write that is young or under way holds it back."""
    agent: bool = False
    """An agent runs it, whatever its token says."""

    @classmethod
    def told(cls, words: Mapping[str, Any]) -> Intent:
        """Read it out of a request, whose other fields are not meant here."""
        return cls(**{word: words[word] for word in WORDS if words.get(word) is not None})


WORDS = tuple(field.name for field in fields(Intent))
"""The words of an intent, as a request spells them."""
