"""What every exporter gets and gives: options in, files and an honest report out."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.core.service.credential import is_loopback
from connector.core.service.wire import Wire

_ASSIGNED = re.compile(
    r"""(?ix)["']? (?: x-api-key | api[_-]?key | apikey | host[_-]?token | password | secret | authorization ) ["']?
        \s* [:=] \s* ["'] (?! \{\{ | Bearer\s*(?:\{\{|@) | @ ) ([A-Za-z0-9+/_.=-]{12,}) ["']"""
)
_BEARER = re.compile(r"(?i)\bbearer\s+(?!\{\{|@)[A-Za-z0-9._~+/-]{16,}")
_SIGNING = re.compile(r"\bwhsec_[A-Za-z0-9+/=]{8,}")
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_NAMES_ONLY = frozenset({"securestring", "sandbox-key"})
PUBLISHER = "KONTOR_PUBLISHER"
OWED = ("author", "email", "homepage", "repository")
"""What whoever publishes has to say."""
Via = Literal["service", "host"]


@dataclass(frozen=True, slots=True)
class Publisher:
    """Who publishes a package, as every package names it; what nobody has set is a placeholder."""

    author: str = "Kontor"
    email: str = "packages@kontor.example"
    homepage: str = "https://kontor.example"
    repository: str = "https://kontor.example/kontor.git"
    licence: str = "MIT"

    @classmethod
    def load(cls, env: Mapping[str, str] = os.environ) -> Publisher:
        """Load it from the TOML file in `KONTOR_PUBLISHER`, if set."""
        path = env.get(PUBLISHER, "").strip()
        if not path:
            return cls()
        known = [field.name for field in fields(cls)]
        remedy = say("publisher_remedy", names=", ".join(known))
        try:
            given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(say("publisher_unreadable", path=path, why=why), remedy=remedy, field=PUBLISHER) from None
        wrong = [name for name, value in given.items() if name not in known or not isinstance(value, str)]
        if wrong:
            text = say("publisher_unknown", path=path, names=", ".join(wrong))
            raise InputError(text, remedy=remedy, field=PUBLISHER)
        return cls(**given)

    @property
    def placeholders(self) -> list[str]:
        """What is not set, or leads nowhere."""
        usual = Publisher()
        owed = [name for name in OWED if not self._is_set(name, usual)]
        return owed if self.licence.strip() else [*owed, "licence"]

    def _is_set(self, name: str, usual: Publisher) -> bool:
        value = getattr(self, name).strip()
        return value not in ("", getattr(usual, name)) and not re.search(r"\.example\b", value)


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
    publisher: Publisher = field(default_factory=Publisher.load)
    """Whom the package names as its author."""
    with_writes: bool = False
    """Whether writes that duplicate are offered also where neither a key nor a look-up guards them."""

    @property
    def placeholders(self) -> list[str]:
        """What a package that is published must not keep: the publisher's data by name, an address by its setting."""
        setting, address = ("--host-url", self.host_url) if self.via == "host" else ("KONTOR_BASE_URL", self.base_url)
        host = urlsplit(address).hostname or ""
        leads_nowhere = not host or host.endswith(".example") or is_loopback(host)
        return [*self.publisher.placeholders, *([setting] if leads_nowhere else [])]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something of a manifest that the platform cannot express, and why."""

    kind: Literal["action", "trigger", "lookup", "pair", "field", "check"]
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
            "dropped": [{"kind": drop.kind, "id": drop.id, "reason": drop.reason.en} for drop in self.dropped],
            "findings": [{"where": finding.where, "message": finding.message} for finding in self.findings],
        }


def secrets_in(export: Export) -> Iterator[Finding]:
    """Places of a package that look like a key or token in clear, which would travel to everybody who loads it."""
    for name, content in export.files.items():
        if name.endswith(".png"):
            continue
        text = content.decode("utf-8", "replace")
        for match in _ASSIGNED.finditer(text):
            if match[1] not in _NAMES_ONLY:
                yield Finding(name, f"looks like a secret in clear: {match[0][:20]}…")
        for pattern in (_BEARER, _SIGNING, _PRIVATE):
            if pattern.search(text):
                yield Finding(name, f"looks like a secret in clear ({pattern.pattern[:20]}…)")
