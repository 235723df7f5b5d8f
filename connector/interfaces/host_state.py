"""What one running host consists of; every route and every page of the console works with it."""

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

MOST_PASSES = 16


@dataclass(eq=False)
class HostState:
    """Made once at start. The host token opens every door; a pass opens one browser's, once."""

    connector: Connector
    database: Database
    vault: Vault
    engine: Engine
    context: JobContext
    """The engine's own: sessions of kept credentials, the clock, reads and writes that do not hold up the loop."""
    host_token: str = field(repr=False)
    sandbox_url: str | None = None
    """Where the sandbox listens; None when the host works with the real service."""
    public_url: str = ""
    """Under which address others reach this host."""
    settings: HostSettings = field(default_factory=HostSettings)
    engine_task: asyncio.Task[None] | None = field(default=None, init=False)
    closing: bool = field(default=False, init=False)
    """Set when the host was told to stop: it finishes what is under way and is not ready for more."""
    _passes: list[str] = field(default_factory=list, init=False, repr=False)
    """Digests of the one-time passes that nobody has used yet."""

    def __post_init__(self) -> None:
        self._token_digest = _digest(self.host_token)

    @property
    def sandboxed(self) -> bool:
        """Whether this is a trial with the simulated service."""
        return self.sandbox_url is not None

    def admits(self, token: str) -> bool:
        """Whether this is the host token; takes equally long for every wrong one."""
        return hmac.compare_digest(_digest(token), self._token_digest)

    def issue_pass(self) -> str:
        """A pass for the console's one-time link; the oldest one expires when there are too many."""
        fresh = secrets.token_urlsafe(24)
        self._passes = [*self._passes[-MOST_PASSES + 1 :], _digest(fresh)]
        return fresh

    def redeem_pass(self, given: str) -> bool:
        """Whether the pass is good; it is used up by that."""
        digest = _digest(given)
        found = [one for one in self._passes if hmac.compare_digest(one, digest)]
        self._passes = [one for one in self._passes if one not in found]
        return bool(found)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
