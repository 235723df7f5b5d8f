"""A credential: base URL, API key and `quelle` label of the service."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from connector.core import environment
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.wire import Wire

DEFAULT_QUELLE = environment.default("KONTOR_QUELLE")


@dataclass(frozen=True, slots=True)
class Credential:
    """Base URL, API key, `quelle` label and wire names."""

    base_url: str
    api_key: str = field(repr=False)
    quelle: str = DEFAULT_QUELLE
    wire: Wire = field(default_factory=Wire.load, repr=False)
    fingerprint: str = field(init=False, compare=False)
    """A digest of base URL and API key, which identifies the key without revealing it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _validated_base_url(self.base_url))
        object.__setattr__(self, "api_key", _validated_key(self.api_key))
        if not self.quelle.strip():
            object.__setattr__(self, "quelle", DEFAULT_QUELLE)
        digest = hashlib.sha256(f"{self.base_url}\n{self.api_key}".encode()).hexdigest()
        object.__setattr__(self, "fingerprint", digest[:16])

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Credential:
        """Build it from `KONTOR_BASE_URL`, `KONTOR_API_KEY`, `KONTOR_QUELLE` and `KONTOR_WIRE`."""
        return cls(
            base_url=env.get("KONTOR_BASE_URL", ""),
            api_key=env.get("KONTOR_API_KEY", ""),
            quelle=env.get("KONTOR_QUELLE", DEFAULT_QUELLE),
            wire=Wire.load(env),
        )


def _validated_base_url(text: str) -> str:
    text = text.strip()
    if not text:
        raise InputError(say("base_url_missing"), remedy=say("base_url_missing_remedy"), field="base_url")
    try:
        parts = urlsplit(text)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment or parts.username or parts.password:
        raise InputError(say("base_url_invalid"), remedy=say("base_url_missing_remedy"), field="base_url")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise InputError(say("base_url_plain_http"), remedy=say("base_url_plain_http_remedy"), field="base_url")
    return _normalized(parts)


def _normalized(parts: SplitResult) -> str:
    """Return the URL in one spelling: lower-case host, no default port, no slash at the end."""
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}[parts.scheme]
    port = f":{parts.port}" if parts.port not in {None, default} else ""
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def is_loopback(host: str) -> bool:
    """Whether a host name is a loopback address."""
    return host in {"localhost", "::1"} or (host.startswith("127.") and host.replace(".", "").isdigit())


def _validated_key(text: str) -> str:
    text = text.strip()
    if not text:
        raise InputError(say("api_key_missing"), remedy=say("api_key_missing_remedy"), field="api_key")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise InputError(say("api_key_invalid"), remedy=say("api_key_missing_remedy"), field="api_key")
    return text
