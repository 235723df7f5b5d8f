"""The steps that procedures yield, and the two drivers that carry them out: blocking, and in an event loop.

A procedure (to send a call, to run an action, a lookup or a poll) is a generator without I/O: it yields what is to be
done, receives the result and goes on. Procedures use one another by `yield from`, so that a run is one chain from the
check of its inputs to the request, and a blocking and an asynchronous caller share all of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from connector.client.call import PreparedRequest
from connector.client.verdict import Answer, TransportFailure

if TYPE_CHECKING:  # reads need no database: the first write imports it
    from sqlalchemy import Connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Transmit:
    """Send one request, and wait so many seconds for its answer."""

    request: PreparedRequest
    seconds: float


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit this change; if `durable`, wait until it survives a power failure, else only a crash of this process."""

    change: Callable[[Connection], Any]
    durable: bool = True


@dataclass(frozen=True, slots=True)
class Query:
    """Ask the database. Only quick questions: on SQLite they block the event loop."""

    query: Callable[[Connection], Any]


@dataclass(frozen=True, slots=True)
class Await:
    """Wait for what another completes: for its result, or at most so many seconds until it is there."""

    future: Future[Any]
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for so many seconds."""

    seconds: float


Step = Transmit | Commit | Query | Await | Pause
Steps = Generator[Step, Any, T]
GIVEN_UP = (asyncio.CancelledError, KeyboardInterrupt)
"""What a procedure meets at a step during which its caller gave up."""


class Store(Protocol):
    """What drivers need of the database."""

    @property
    def is_local(self) -> bool:
        """Whether a question is so quick that an event loop need not hand it to a thread."""

    def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> Future[T]:
        """Commit a change."""

    def read(self, query: Callable[[Connection], T]) -> T:
        """Ask something."""


class Transport(Protocol):
    """What the blocking driver sends with."""

    def transmit(self, request: PreparedRequest, seconds: float) -> Answer | TransportFailure:
        """Send one request."""


class AsyncTransport(Protocol):
    """What the asynchronous driver sends with."""

    def transmit(self, request: PreparedRequest, seconds: float) -> Awaitable[Answer | TransportFailure]:
        """Send one request."""


def drive(steps: Steps[T], transport: Transport, store: Callable[[], Store]) -> T:
    """Carry out a procedure, blocking."""
    try:
        step = next(steps)
        while True:
            try:
                done = _carry_out(step, transport, store)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


def _carry_out(step: Step, transport: Transport, store: Callable[[], Store]) -> Any:
    match step:
        case Transmit(request, seconds):
            return transport.transmit(request, seconds)
        case Commit(change, durable):
            return store().write(change, durable=durable).result()
        case Query(query):
            return store().read(query)
        case Await(future, None):
            return future.result()
        case Await(future, seconds):
            return wait([future], timeout=seconds)
        case Pause(seconds):
            return time.sleep(seconds)


async def drive_async(steps: Steps[T], transport: AsyncTransport, store: Callable[[], Store]) -> T:
    """Carry out a procedure in an event loop."""
    try:
        step = next(steps)
        while True:
            try:
                done = await _carry_out_async(step, transport, store)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


async def _carry_out_async(step: Step, transport: AsyncTransport, store: Callable[[], Store]) -> Any:
    match step:
        case Transmit(request, seconds):
            return await transport.transmit(request, seconds)
        case Commit(change, durable):
            return await asyncio.wrap_future(store().write(change, durable=durable))
        case Query(query):
            return store().read(query) if store().is_local else await asyncio.to_thread(store().read, query)
        case Await(future, None):
            return await asyncio.shield(asyncio.wrap_future(future))  # others wait for it too
        case Await(future, seconds):
            return await asyncio.wait([asyncio.wrap_future(future)], timeout=seconds)
        case Pause(seconds):
            return await asyncio.sleep(seconds)
