"""The connector: the catalog of all that there is, which opens sessions for credentials."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from connector.core.service.credential import Credential
from connector.core.timing import Clock
from connector.runtime.records.shared_state import SharedState
from connector.runtime.requests.catalog import Catalog

if TYPE_CHECKING:
    import httpx

    from connector.runtime.session import AsyncSession, Session
    from connector.store import Database


class Connector(Catalog):
    """The entry point of the library. One connector serves any number of credentials."""

    def __init__(self, data: str | None = None, *, separate_keys: bool = False) -> None:
        """`data`: a folder or the URL of a PostgreSQL database; by default `KONTOR_DATA`.

        With `separate_keys`, as on a host with several customers, each unknown API key gets a workspace of its own.
        """
        super().__init__()
        self.shared = SharedState(self, data, separate_keys=separate_keys)

    @property
    def database(self) -> Database:
        """The database, opened on first use."""
        return self.shared.database

    def close(self) -> None:
        """Store the counted usage, and close the database if it was opened."""
        self.shared.close()

    def open(
        self,
        credential: Credential | Mapping[str, Any] | None = None,
        *,
        flow: str = "",
        clock: Clock | None = None,
        workspace: str | None = None,
        transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None,
    ) -> SessionContext:
        """Open a session for a credential: `with` gives a blocking one, `async with` an asynchronous one.

        Without a credential, that of the environment is used. `flow` names the flow whose budget the session uses.
        Without a `workspace`, writes belong to that of the API key, else to `KONTOR_WORKSPACE`, else to `default`.

        With a `transport` of httpx, the session sends every request through it and over no connection of its own: an
        `httpx.BaseTransport` for `with`, an `httpx.AsyncBaseTransport` for `async with` (`httpx.MockTransport` is
        both). It stays open when the session is closed. Its `ConnectError`, `ConnectTimeout`, `PoolTimeout`,
        `ProxyError`, `UnsupportedProtocol` and `LocalProtocolError` say that nothing was sent; after any other
        exception the outcome of a write is unknown.
        """
        if credential is None:
            credential = Credential.from_env()
        elif isinstance(credential, Mapping):
            credential = Credential(**credential)
        return SessionContext(self.shared, credential, flow, clock, workspace, transport)


class SessionContext:
    """A context manager that opens a session: blocking by `with`, asynchronous by `async with`."""

    def __init__(
        self,
        shared: SharedState,
        credential: Credential,
        flow: str,
        clock: Clock | None,
        workspace: str | None,
        transport: Any = None,
    ) -> None:
        self._with = (shared, credential, flow, clock, workspace, transport)
        self._blocking: Session | None = None
        self._asynchronous: AsyncSession | None = None

    def __enter__(self) -> Session:
        from connector.runtime.session import Session

        self._blocking = Session(*self._with)
        return self._blocking

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blocking is not None:
            self._blocking.close()

    async def __aenter__(self) -> AsyncSession:
        from connector.runtime.session import AsyncSession

        self._asynchronous = AsyncSession(*self._with)
        return self._asynchronous

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._asynchronous is not None:
            await self._asynchronous.aclose()
