"""What the routes share: the host's state, callers' sessions, the intake of events, callbacks, and the counters."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request

from connector.core.errors import KontorError
from connector.durable.inbox.ingest import Intake
from connector.interfaces.host.callbacks import Callbacks
from connector.interfaces.host.caller import Caller, caller_of
from connector.interfaces.host.metrics import HostMetrics
from connector.interfaces.host.sessions import SessionPool
from connector.interfaces.host.store_metrics import StoreMetrics
from connector.interfaces.host_state import HostState
from connector.store import credentials

if TYPE_CHECKING:
    from connector.core.client import KeyState


@dataclass(frozen=True, eq=False)
class HostParts:
    """Made once per host, beside its state."""

    state: HostState
    sessions: SessionPool
    metrics: HostMetrics
    stored: StoreMetrics
    intake: Intake
    callbacks: Callbacks

    @classmethod
    def of(cls, state: HostState) -> HostParts:
        """The parts for one host."""
        metrics, stored = HostMetrics(), StoreMetrics(state.database, state.context.clock)
        metrics.add(stored)
        intake = Intake(state.database, wake=state.context.wake, clock=state.context.clock)
        sessions = SessionPool(state.connector, state.settings)
        private, patience = state.context.allow_private_targets, state.settings.shutdown_seconds
        callbacks = Callbacks(allow_private=private, patience=patience)
        return cls(state, sessions, metrics, stored, intake, callbacks)

    def caller(self, request: Request) -> Caller:
        """Whose key the request carries."""
        return caller_of(request.headers, self.state.settings, lend_own=self.state.sandboxed)

    async def key_states(self) -> dict[str, KeyState]:
        """The rate windows of all keys at work: those of callers, and those kept for subscriptions."""
        states = self.sessions.key_states()
        for kept in await self.state.context.read(credentials.listed):
            if kept.revoked_at is None:
                with contextlib.suppress(KontorError):
                    states[kept.fingerprint] = (await self.state.context.session(kept.id)).state
        return states
