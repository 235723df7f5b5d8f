"""The state of a running host, shared by all routes and console pages."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from connector.interfaces.host_settings import HostSettings

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.durable.loop import Engine
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.vault import Vault

MAX_LOGIN_TOKENS = 16


@dataclass(eq=False)
class HostState:
    """Created once at start. The host token authorizes all requests; a login token logs one browser in, once."""

    connector: Connector
    database: Database
    vault: Vault
    engine: Engine
    context: JobContext
    """The engine's context: sessions of stored credentials, the clock, and non-blocking database access."""
    host_token: str = field(repr=False)
    sandbox_url: str | None = None
    """URL of the sandbox; None when the host uses the real service."""
    public_url: str = ""
    """The URL under which others reach this host."""
    settings: HostSettings = field(default_factory=HostSettings)
    engine_task: asyncio.Task[None] | None = field(default=None, init=False)
    closing: bool = field(default=False, init=False)
    """Set during shutdown: in-flight requests finish, /readyz fails."""
    _login_tokens: list[str] = field(default_factory=list, init=False, repr=False)
    """Digests of unused one-time login tokens."""

    def __post_init__(self) -> None:
        self._token_digest = _digest(self.host_token)

    @property
    def sandboxed(self) -> bool:
        """Whether the host uses the sandbox."""
        return self.sandbox_url is not None

    def is_host_token(self, token: str) -> bool:
        """Compare with the host token in constant time."""
        return hmac.compare_digest(_digest(token), self._token_digest)

    def issue_login_token(self) -> str:
        """Create a token for a one-time login link; drops the oldest if there are too many."""
        fresh = secrets.token_urlsafe(24)
        self._login_tokens = [*self._login_tokens[-MAX_LOGIN_TOKENS + 1 :], _digest(fresh)]
        return fresh

    def redeem_login_token(self, given: str) -> bool:
        """Whether the token is valid; it is consumed by the check."""
        digest = _digest(given)
        found = [one for one in self._login_tokens if hmac.compare_digest(one, digest)]
        self._login_tokens = [one for one in self._login_tokens if one not in found]
        return bool(found)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
