"""What stands beside the manifests: states, events, resources, their labels and words, formats, kinds of files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from connector.core.manifest.formats import Format
from connector.core.polls.progress import States


class Library:
    """Read once; a user's folder of manifests may add to it."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        events: Mapping[str, Mapping[str, Any]] = found["events"]
        self.events = {name: one for name, one in events.items() if "own" not in one}
        """The events of the service."""
        self.own_events = frozenset(events) - frozenset(self.events)
        """The events that a Kontor host tells of itself."""
        self.resources: Mapping[str, Mapping[str, Any]] = found["resources"]
        self.labels: Mapping[str, Mapping[str, str]] = found["labels"]
        self.words: Mapping[str, Mapping[str, Mapping[str, str]]] = found["words"]
        """What known values are called, by the name of their set."""
        self.declared_formats: Mapping[str, Mapping[str, Any]] = found["formats"]
        self.file_kinds: Mapping[str, Mapping[str, Any]] = found["file_kinds"]
        self.provider: Mapping[str, Any] = found["provider"]
        self.proofs: Mapping[str, Any] = found["proofs"]
        self.declared_states: Mapping[str, Any] = found["states"]

    @cached_property
    def formats(self) -> Mapping[str, Format]:
        """Every format of texts."""
        return {name: Format(declared) for name, declared in self.declared_formats.items()}

    @cached_property
    def states(self) -> Mapping[str, States]:
        """Every series of states."""
        return {name: States(declared) for name, declared in self.declared_states.items()}
