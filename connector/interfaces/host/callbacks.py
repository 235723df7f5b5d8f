"""Calls back: a slow read is answered at once, done behind that answer, and its result posted where the caller said.

What is under way lives in memory only. A read that a crash loses has changed nothing, and a platform that waits for it
gives the step up by itself; a write would have to be kept until it is told, so writes are answered in the old way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from connector.core.errors import InputError, KontorError, ServiceDown
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.core.values import json
from connector.durable.outbox.address import check_target
from connector.durable.outbox.sender import MAX_BODY_BYTES, Sender
from connector.interfaces.host.door import unforeseen
from connector.interfaces.host.problem import failure
from connector.interfaces.host.refusals import ResultTooLarge, TooManyWaiting
from connector.interfaces.host.under_way import REQUEST, UnderWay, request_id
from connector.runtime.result import Result

FIELD = "callback_url"
PAUSES = (1.0, 4.0, 15.0, 40.0, 120.0, 240.0)
"""Seconds after each attempt that was not taken: about seven minutes in all. Who waits longer has given up."""
MOST_WAITING = 256
log = logging.getLogger("kontor.host")

Run = Callable[[], Awaitable[Result]]


class Callbacks:
    """The reads of one host that are called back for, in its event loop."""

    def __init__(self, *, allow_private: bool, patience: float) -> None:
        self._allow_private = allow_private
        self._patience = patience
        self._waiting: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    def check(self, url: str, action: Action) -> None:
        """Raises unless this action's result may be posted there."""
        if action.writes:
            remedy = say("host_callback_only_reads_remedy")
            raise InputError(say("host_callback_only_reads", id=action.id), remedy=remedy, field=FIELD)
        check_target(url, allow_private=self._allow_private, field=FIELD)
        if len(self._waiting) >= MOST_WAITING:
            raise TooManyWaiting

    def begin(self, url: str, run: Run) -> str:
        """Begins the run, and returns the id that its callback will carry."""
        under_way = REQUEST.get() or UnderWay(request_id(""))
        task = asyncio.create_task(self._call_back(url, run, under_way), name="kontor-callback")
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        return under_way.request_id

    async def aclose(self) -> None:
        """Finishes what is under way; what takes too long is told as failed."""
        self._closing.set()
        if self._waiting:
            _, slow = await asyncio.wait(self._waiting, timeout=self._patience)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        if "_sender" in self.__dict__:
            await self._sender.aclose()

    async def _call_back(self, url: str, run: Run, under_way: UnderWay) -> None:
        body = json.encode_clean(await _outcome(run, under_way))
        if len(body) > MAX_BODY_BYTES:
            body = json.encode_clean(failure(ResultTooLarge(MAX_BODY_BYTES), lang=under_way.lang))
        last = False
        for pause in (*PAUSES, None):
            attempt = await self._sender.send(url, body, {"X-Request-Id": under_way.request_id})
            if attempt.delivered:
                return
            if attempt.gone or last or pause is None:
                break
            last = await self._closes_within(pause)
        log.warning("nobody took the callback of request %s: %s", under_way.request_id, attempt.error or attempt.status)

    async def _closes_within(self, seconds: float) -> bool:
        """Waits; a host that is told to stop does not, and tries once more at once."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        return self._closing.is_set()

    @cached_property
    def _sender(self) -> Sender:
        return Sender(allow_private=self._allow_private)


async def _outcome(run: Run, under_way: UnderWay) -> dict[str, Any]:
    """The document of the run, or that of its error."""
    told: KontorError
    try:
        return (await run()).as_dict()
    except KontorError as error:
        told = error
    except asyncio.CancelledError:  # the host stops; whoever waits shall not wait in vain
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()
        told = ServiceDown(say("host_callback_stopped"), remedy=say("host_callback_stopped_remedy"))
    except Exception as error:
        told = unforeseen(error, under_way.request_id)
    return failure(told, lang=under_way.lang, secret=under_way.secret)
