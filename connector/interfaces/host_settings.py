"""How a host is set up: where it listens, whose keys it may use, and how much it takes from a caller."""

from __future__ import annotations

from dataclasses import dataclass, field

from connector.core.credential import DEFAULT_QUELLE, Credential
from connector.core.wire import Wire

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class HostSettings:
    """The values are those of every day; the command line, the environment and tests choose others."""

    host: str = "127.0.0.1"
    port: int = 8321
    base_url: str = ""
    """The service's, for callers who bring only their key."""
    allow_base_url_header: bool = False
    """Whether a caller may name another service: whoever may do so can make this host call any address."""
    quelle: str = DEFAULT_QUELLE
    wire: Wire = field(default_factory=Wire.load, repr=False)
    own_credential: Credential | None = None
    """The sandbox's demo credential, or the one in the environment: the console works with it. Callers over HTTP are
    given it only in sandbox mode."""
    console: bool = True
    most_body: int = 32 * MEGABYTE
    most_sessions: int = 256
    """Credentials that stay open between calls."""
    session_idle_seconds: float = 600.0
    shutdown_seconds: int = 120
    """How long calls under way may take to finish after the host was told to stop."""
