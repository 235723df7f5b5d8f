"""A credential of the service: base URL, API key and `quelle` label; and how secrets are kept out of what is shown."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.core.service import environment
from connector.core.service.wire import Wire

HIDDEN = "[hidden]"
_HOOK = re.compile(r"(/hooks/)[^/?#\s]+")
_PATH = re.compile(r"(https?://[^/?#\s]+)[/?#]\S*", re.IGNORECASE)


def redact(value: Any, secret: str) -> Any:
    """Replace every occurrence of `secret` in a value, at any depth of nesting."""
    if not secret:
        return value
    if isinstance(value, str):
        return value.replace(secret, HIDDEN)
    if isinstance(value, Mapping):
        return {redact(name, secret): redact(item, secret) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item, secret) for item in value]
    return value


def hide_hook_token(url: str) -> str:
    """Return a webhook URL of a host without its token, which lets anybody send events."""
    return _HOOK.sub(rf"\1{HIDDEN}", url)


def hidden_in_words(text: str) -> Text:
    """Return a text for people, in which what is hidden is called so in their language."""
    en, de = say("hidden_mark")
    return Text(text.replace(HIDDEN, en), text.replace(HIDDEN, de))


def hide_paths(value: Any) -> Any:
    """Return a value in which URLs show only their host, at any depth of nesting: their paths may hold secrets."""
    return _each_text(value, lambda text: _PATH.sub(rf"\1/{HIDDEN}", text))


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _each_text(item, change) for name, item in value.items()}
    return [_each_text(item, change) for item in value] if isinstance(value, list | tuple) else value


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
