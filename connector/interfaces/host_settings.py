"""Settings of a host: address, credential and limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from connector.core import environment
from connector.core.credential import DEFAULT_QUELLE, Credential
from connector.core.wire import Wire

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Defaults; the command line, the environment and tests override them."""

    host: str = "127.0.0.1"
    port: int = 8321
    base_url: str = ""
    """Base URL of the service for callers who send only their API key."""
    allow_base_url_header: bool = False
    """Whether callers may choose the base URL; this lets them make the host call any address."""
    quelle: str = DEFAULT_QUELLE
    wire: Wire = field(default_factory=Wire.load, repr=False)
    own_credential: Credential | None = None
    """The credential of the console: from the environment, or the sandbox's demo credential. HTTP callers may use it
    only in sandbox mode."""
    trusted_proxies: str = environment.default("KONTOR_TRUSTED_PROXIES")
    """Whose forwarded headers are believed: addresses and networks, with commas between."""
    console: bool = True
    max_body: int = 32 * MEGABYTE
    max_sessions: int = 256
    """Client sessions kept open between calls."""
    session_idle_seconds: float = 600.0
    shutdown_seconds: int = 120
    """How long in-flight requests may take after a stop signal."""
