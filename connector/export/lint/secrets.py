"""Looks for secrets in a package: a key or token that stands there in clear would travel to everybody who loads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from connector.export.shape import Export, Finding

ASSIGNED = re.compile(
    r"""(?ix)["']? (?: x-api-key | api[_-]?key | apikey | host[_-]?token | password | secret | authorization ) ["']?
        \s* [:=] \s* ["'] (?! \{\{ | Bearer\s*(?:\{\{|@) | @ ) ([A-Za-z0-9+/_.=-]{12,}) ["']"""
)
BEARER = re.compile(r"(?i)\bbearer\s+(?!\{\{|@)[A-Za-z0-9._~+/-]{16,}")
SIGNING = re.compile(r"\bwhsec_[A-Za-z0-9+/=]{8,}")
PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
NAMES_ONLY = frozenset({"securestring", "sandbox-key"})


def secrets(export: Export) -> Iterator[Finding]:
    """Places that look like a secret in clear."""
    for name, content in export.files.items():
        if name.endswith(".png"):
            continue
        text = content.decode("utf-8", "replace")
        for found in ASSIGNED.finditer(text):
            if found[1] not in NAMES_ONLY:
                yield Finding(name, f"looks like a secret in clear: {found[0][:20]}…")
        for pattern in (BEARER, SIGNING, PRIVATE):
            if pattern.search(text):
                yield Finding(name, f"looks like a secret in clear ({pattern.pattern[:20]}…)")
