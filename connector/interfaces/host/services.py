"""The objects that all routes share: state, session pool, event intake, callbacks and metrics."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from starlette.requests import Request

from connector.durable.inbox.ingest import Intake
from connector.interfaces.host.callbacks import Callbacks
from connector.interfaces.host.callers import Caller, Callers, SessionPool
from connector.interfaces.host.metrics import HostMetrics, StoreMetrics, WorkMetrics
from connector.interfaces.host_state import HostState
from connector.store.runs import approvals
from connector.store.triggers import subscriptions

if TYPE_CHECKING:
    from connector.client import KeyState


@dataclass(frozen=True, eq=False)
class HostServices:
    """Built once per host."""

    state: HostState
    sessions: SessionPool
    metrics: HostMetrics
    store_metrics: StoreMetrics
    intake: Intake
    callbacks: Callbacks
    callers: Callers

    @classmethod
    def of(cls, state: HostState) -> HostServices:
        """Build the services of a host."""
        metrics, store_metrics = HostMetrics(), StoreMetrics(state.database, state.context.clock)
        metrics.add(store_metrics)
        metrics.add(WorkMetrics(state.engine))
        intake = Intake(state.database, wake=state.context.wake, clock=state.context.clock)
        sessions = SessionPool(state.connector, state.settings)
        private, shutdown_seconds = state.context.allow_private_targets, state.settings.shutdown_seconds
        callbacks = Callbacks(allow_private=private, shutdown_seconds=shutdown_seconds)
        return cls(state, sessions, metrics, store_metrics, intake, callbacks, Callers(state))

    def caller(self, request: Request) -> Awaitable[Caller]:
        """Return with which API key a request works."""
        return self.callers.caller(request)

    def workspace(self, request: Request) -> Awaitable[str]:
        """Return the workspace whose stored objects a request may see."""
        return self.callers.workspace(request)

    async def callback_secret(self, run: str) -> str | None:
        """Return what signs the callback of a run that waits for approval."""

        def find(connection: Connection) -> str | None:
            approval = approvals.find(connection, run)
            told = subscriptions.get(connection, approval.callback) if approval and approval.callback else None
            return None if told is None else told.sealed_secret

        sealed = await self.state.context.read(find)
        return None if sealed is None else self.state.vault.open(sealed)

    def key_states(self) -> dict[str, KeyState]:
        """The rate windows of the API keys in use: those of callers and of stored credentials."""
        return {**self.sessions.key_states(), **self.state.context.sessions.key_states()}
