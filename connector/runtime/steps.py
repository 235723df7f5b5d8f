"""I/O steps that the runtime's generators yield, and their blocking and asynchronous execution.

The runtime's procedures (`invoke`, `options`, `poll`) are generators that yield these steps. A session executes them,
blocking or in an event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from connector.client import AsyncClient, Call, Client
from connector.client.aio import CancelledWaiting
from connector.client.blocking import InterruptedWaiting
from connector.core.errors import KontorError
from connector.core.messages import say

if TYPE_CHECKING:  # reads need no database: the first write imports it
    from sqlalchemy import Connection

    from connector.store import Database

T = TypeVar("T")


class Abandoned(KontorError):
    """The caller gave up a write while it waited to be sent, after which it certainly is not."""

    default_outcome = "not_sent"

    def __init__(self, cause: BaseException) -> None:
        super().__init__(say("abandoned"), remedy=say("abandoned_remedy"))
        self.cause = cause


@dataclass(slots=True)
class Recorded:
    """A change that must be committed right before the first byte of a call is sent, which is one request."""

    change: Callable[[Connection], Any]
    durable: bool
    committed: bool = False


@dataclass(frozen=True, slots=True)
class SendStep:
    """Send this call to the service, after committing `first` if given."""

    call: Call
    first: Recorded | None = None


@dataclass(frozen=True, slots=True)
class WriteStep:
    """Commit this change; if `durable`, wait until it survives a power failure, else only a crash of this process."""

    change: Callable[[Connection], Any]
    durable: bool = True


@dataclass(frozen=True, slots=True)
class BackgroundWrite:
    """Commit this change without reporting failures; with `deferred`, a moment later, in the writer thread."""

    change: Callable[[Connection], Any]
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class ReadStep:
    """Query the database. Only quick queries: on SQLite they block the event loop."""

    query: Callable[[Connection], Any]


@dataclass(frozen=True, slots=True)
class AwaitStep:
    """Wait for a future that another task completes."""

    future: Future[Any]


@dataclass(frozen=True, slots=True)
class SleepStep:
    """Sleep for real seconds. `before_sending`: a write waits, and is given up when its caller gives up."""

    seconds: float
    before_sending: bool = False


Step = SendStep | WriteStep | BackgroundWrite | ReadStep | AwaitStep | SleepStep
Steps = Generator[Step, Any, T]


def before_sending(steps: Steps[T]) -> Steps[T]:
    """Execute steps that precede the sending: when the database fails, nothing was sent."""
    try:
        return (yield from steps)
    except Exception as error:
        from connector.store.failures import DATABASE_ERRORS, store_down

        if isinstance(error, DATABASE_ERRORS):
            raise store_down(error) from error
        raise


def drive(steps: Steps[T], client: Client, database: Callable[[], Database]) -> T:
    """Execute the steps, blocking."""
    try:
        step = next(steps)
        while True:
            try:
                match step:
                    case SendStep(call, None):
                        done: Any = client.call(call)
                    case SendStep(call, Recorded() as first):
                        done = client.call(call, partial(_record, first, database))
                    case WriteStep(change, durable):
                        done = database().write_blocking(change, durable=durable)
                    case BackgroundWrite(change, deferred=True):
                        done = None
                        with suppress(RuntimeError):  # closed meanwhile: the run is looked up or settled as usual
                            database().write_deferred(change)
                    case BackgroundWrite(change):
                        done = None
                        with suppress(Exception):
                            database().write_blocking(change, durable=False)
                    case ReadStep(query):
                        done = database().read(query)
                    case AwaitStep(future):
                        done = future.result()
                    case SleepStep(seconds):
                        done = None
                        time.sleep(seconds)
            except BaseException as error:
                step = steps.throw(_told(step, error))
            else:
                step = steps.send(done)
    except StopIteration as stop:
        result: T = stop.value
        return result
    except Abandoned as abandoned:
        raise abandoned.cause from None
    finally:
        steps.close()


async def drive_async(steps: Steps[T], client: AsyncClient, database: Callable[[], Database]) -> T:
    """Execute the steps in an event loop."""
    try:
        step = next(steps)
        while True:
            try:
                match step:
                    case SendStep(call, None):
                        done: Any = await client.call(call)
                    case SendStep(call, Recorded() as first):
                        done = await client.call(call, partial(_record_async, first, database))
                    case WriteStep(change, durable):
                        done = await _write(change, durable, database)
                    case BackgroundWrite(change, deferred=True):
                        done = None
                        with suppress(RuntimeError):  # closed meanwhile: the run is looked up or settled as usual
                            database().write_deferred(change)
                    case BackgroundWrite(change):
                        done = database().write_inline(change)
                    case ReadStep(query) if database().is_local:
                        done = database().read(query)
                    case ReadStep(query):
                        done = await asyncio.to_thread(database().read, query)
                    case AwaitStep(future):
                        done = await asyncio.shield(
                            asyncio.wrap_future(future)
                        )  # shielded, since others wait for it too
                    case SleepStep(seconds):
                        done = None
                        await asyncio.sleep(seconds)
            except BaseException as error:
                step = steps.throw(_told(step, error))
            else:
                step = steps.send(done)
    except StopIteration as stop:
        result: T = stop.value
        return result
    except Abandoned as abandoned:
        raise abandoned.cause from None
    finally:
        steps.close()


def _told(step: Step, error: BaseException) -> BaseException:
    """Return what a procedure is told of an error: an interruption would leave its write for others to look up."""
    waits = isinstance(error, CancelledWaiting | InterruptedWaiting) and isinstance(step, SendStep) and step.first
    given_up = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
    sleeps = given_up and isinstance(step, SleepStep) and step.before_sending
    return Abandoned(error) if waits or sleeps else error


def _record(first: Recorded, database: Callable[[], Database]) -> None:
    database().write_blocking(first.change, durable=first.durable)
    first.committed = True


async def _record_async(first: Recorded, database: Callable[[], Database]) -> None:
    await _write(first.change, first.durable, database)
    first.committed = True


async def _write(change: Callable[[Connection], T], durable: bool, database: Callable[[], Database]) -> T:
    future = database().write(change) if durable else database().write_inline(change)
    return future.result() if future.done() else await asyncio.wrap_future(future)
