"""The steps by which the runtime's pure parts ask for I/O, and the two ways to carry them out.

The runtime's procedures (`invoke`, `options`, `poll`) are generators that yield these steps. A session drives them:
blocking, or in an event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from connector.core.client import AsyncClient, Call, Client

if TYPE_CHECKING:  # reads need no database: it is imported by the first write
    from sqlalchemy import Connection

    from connector.store import Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """Send this call to the service."""

    call: Call


@dataclass(frozen=True, slots=True)
class Keep:
    """Make this change in the store, and go on when it is safe: from a power failure, or only from a crash of ours."""

    change: Callable[[Connection], Any]
    durable: bool = True


@dataclass(frozen=True, slots=True)
class Note:
    """Make this change in the store, in the order of changes; nothing depends on it. `soon`: with the next one."""

    change: Callable[[Connection], Any]
    soon: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Ask the store something. Quick questions only: an event loop waits for them."""

    question: Callable[[Connection], Any]


@dataclass(frozen=True, slots=True)
class Await:
    """Wait for what somebody else is already doing."""

    future: Future[Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Let real seconds pass."""

    seconds: float


Step = Ask | Keep | Note | Look | Await | Pause
Steps = Generator[Step, Any, T]


def drive(steps: Steps[T], client: Client, database: Callable[[], Database]) -> T:
    """Carries the steps out, blocking."""
    try:
        step = next(steps)
        while True:
            try:
                match step:
                    case Ask(call):
                        done: Any = client.call(call)
                    case Keep(change, durable):
                        done = database().write_blocking(change, durable=durable)
                    case Note(change, soon=True):
                        done = None
                        database().write_deferred(change)
                    case Note(change):
                        done = None
                        with suppress(Exception):
                            database().write_blocking(change, durable=False)
                    case Look(question):
                        done = database().read(question)
                    case Await(future):
                        done = future.result()
                    case Pause(seconds):
                        done = None
                        time.sleep(seconds)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


async def drive_async(steps: Steps[T], client: AsyncClient, database: Callable[[], Database]) -> T:
    """Carries the steps out in an event loop."""
    try:
        step = next(steps)
        while True:
            try:
                match step:
                    case Ask(call):
                        done: Any = await client.call(call)
                    case Keep(change, durable):
                        future = database().write(change) if durable else database().write_inline(change)
                        done = future.result() if future.done() else await asyncio.wrap_future(future)
                    case Note(change, soon=True):
                        done = None
                        database().write_deferred(change)
                    case Note(change):
                        done = database().write_inline(change)
                    case Look(question):
                        done = database().read(question)
                    case Await(future):
                        done = await asyncio.shield(asyncio.wrap_future(future))  # others wait for it too
                    case Pause(seconds):
                        done = None
                        await asyncio.sleep(seconds)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()
