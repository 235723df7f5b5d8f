"""What every exporter gets and gives: options in, files and an honest report out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from connector.core.messages import Text
from connector.core.wire import Wire

Via = Literal["service", "host"]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How a package is to be made."""

    via: Via = "service"
    """Whom the package talks to: the service itself, or a Kontor host with its guards."""
    base_url: str = "https://service.example"
    """The service's base URL, as the package's default."""
    host_url: str = "https://kontor.example"
    """The Kontor host's URL, as the package's default; for `via="host"`."""
    lang: Literal["en", "de"] = "en"
    """The language of labels where the platform has only one."""
    wire: Wire = field(default_factory=Wire.load)
    """The wire names in force: they are written into the package."""
    with_writes: bool = False
    """Whether writes that duplicate are offered also where neither a key nor a look-up guards them."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something of a manifest that the platform cannot express, and why."""

    kind: Literal["action", "trigger", "lookup", "field", "check"]
    id: str
    reason: Text


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the lint does not like."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Export:
    """A package: its files by relative path, what it holds, and what it had to leave out."""

    platform: str
    files: Mapping[str, bytes]
    holds: Mapping[str, frozenset[str]]
    """The ids that it carries, by kind: `actions`, `lookups`, `triggers`."""
    dropped: tuple[Dropped, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[Text, ...] = ()
    """What one must know before using it; stands first wherever the export is reported."""

    def report(self) -> dict[str, Any]:
        """The report as it is written beside the files."""
        return {
            "platform": self.platform,
            "notes": [note.en for note in self.notes],
            "holds": {kind: sorted(ids) for kind, ids in self.holds.items()},
            "dropped": [{"kind": one.kind, "id": one.id, "reason": one.reason.en} for one in self.dropped],
            "findings": [{"where": one.where, "message": one.message} for one in self.findings],
        }
