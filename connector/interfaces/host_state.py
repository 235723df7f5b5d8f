"""The state and settings of a running host, shared by all routes and console pages."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cachetools import TTLCache

from connector.core import limits
from connector.core.service import environment
from connector.core.service.credential import DEFAULT_QUELLE, Credential
from connector.core.service.wire import Wire
from connector.interfaces.platform_calls import PlatformCalls
from connector.interfaces.sign_in import SignIn
from connector.interfaces.token_check import TokenCheck
from connector.runtime.records.refusals import RefusalAudit

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.durable.loop import Engine
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.trust.vault import Vault

MAX_LOGIN_TOKENS = 16
LOGIN_LINK_SECONDS = 600.0


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
    max_body: int = limits.MAX_BODY_BYTES
    max_sessions: int = 256
    """Client sessions kept open between calls."""
    session_idle_seconds: float = 600.0
    shutdown_seconds: int = 120
    """How long in-flight requests may take after a stop signal."""


@dataclass(eq=False)
class HostState:
    """Created once at start. The host token is the first admin's; a login token logs one browser in, once."""

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
    tokens: TokenCheck = field(init=False, repr=False)
    """Says who presents a token."""
    sign_in: SignIn = field(init=False, repr=False)
    """Lets people in by name and passphrase, or by an invitation."""
    refusals: RefusalAudit = field(init=False, repr=False)
    """Records refusals in the audit log."""
    platforms: PlatformCalls = field(init=False, repr=False)
    """Notes which platforms call."""
    engine_task: asyncio.Task[None] | None = field(default=None, init=False)
    closing: bool = field(default=False, init=False)
    """Set during shutdown: in-flight requests finish, /readyz fails."""
    _login_tokens: TTLCache[str, None] = field(init=False, repr=False)
    """Digests of unused one-time login tokens."""

    def __post_init__(self) -> None:
        self._login_tokens = TTLCache(MAX_LOGIN_TOKENS, LOGIN_LINK_SECONDS)
        self.tokens = TokenCheck(self.host_token, self.database, self.context.read, self.context.now)
        self.sign_in = SignIn(self.context, self.tokens)
        self.refusals = RefusalAudit(lambda: self.database, self.context.now)
        self.connector.shared.refusals = self.refusals
        self.platforms = PlatformCalls(self.database, self.context.now)

    @property
    def has_tls(self) -> bool:
        """Whether others reach the host by TLS only."""
        return self.public_url.startswith("https://")

    @property
    def sandboxed(self) -> bool:
        """Whether the host uses the sandbox."""
        return self.sandbox_url is not None

    def issue_login_token(self) -> str:
        """Create a token for a one-time login link that lives ten minutes; drops the oldest if there are too many."""
        fresh = secrets.token_urlsafe(24)
        self._login_tokens[_digest(fresh)] = None
        return fresh

    def is_login_token(self, given: str) -> bool:
        """Whether the token of a link can still be redeemed."""
        return _digest(given) in self._login_tokens

    def redeem_login_token(self, given: str) -> bool:
        """Whether the token of a link is valid; it is consumed by the check."""
        missing = object()
        return self._login_tokens.pop(_digest(given), missing) is not missing


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
