"""What every exporter gets and gives: options in, files and an honest report out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from connector.core.messages import Text
from connector.core.service.wire import Wire

_ASSIGNED = re.compile(
    r"""(?ix)["']? (?: x-api-key | api[_-]?key | apikey | host[_-]?token | password | secret | authorization ) ["']?
        \s* [:=] \s* ["'] (?! \{\{ | Bearer\s*(?:\{\{|@) | @ ) ([A-Za-z0-9+/_.=-]{12,}) ["']"""
)
_BEARER = re.compile(r"(?i)\bbearer\s+(?!\{\{|@)[A-Za-z0-9._~+/-]{16,}")
_SIGNING = re.compile(r"\bwhsec_[A-Za-z0-9+/=]{8,}")
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_NAMES_ONLY = frozenset({"securestring", "sandbox-key"})
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


def secrets_in(export: Export) -> Iterator[Finding]:
    """Places of a package that look like a key or token in clear, which would travel to everybody who loads it."""
    for name, content in export.files.items():
        if name.endswith(".png"):
            continue
        text = content.decode("utf-8", "replace")
        for found in _ASSIGNED.finditer(text):
            if found[1] not in _NAMES_ONLY:
                yield Finding(name, f"looks like a secret in clear: {found[0][:20]}…")
        for pattern in (_BEARER, _SIGNING, _PRIVATE):
            if pattern.search(text):
                yield Finding(name, f"looks like a secret in clear ({pattern.pattern[:20]}…)")
