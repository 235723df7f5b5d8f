"""Runs slow reads in the background and posts the result to the caller's callback URL.

Pending callbacks live in memory only: a read lost in a crash has changed nothing, and the platform's step times out.
A write responds synchronously, unless it waits for approval: then it is stored, and told by a delivery.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from connector.core import limits
from connector.core.errors import KontorError, ServiceDown
from connector.core.messages import say
from connector.core.values import json
from connector.durable.sending import signing
from connector.durable.sending.address import check_target
from connector.durable.sending.sender import MAX_BODY_BYTES, Sender
from connector.interfaces.host.errors import ResultTooLarge, TooManyCallbacks
from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight, request_id
from connector.interfaces.host.responses import error_document, internal_error
from connector.runtime.result import Result

FIELD = "callback_url"
RETRY_DELAYS = (1.0, 4.0, 15.0, 40.0, 120.0, 240.0)
"""Seconds before each retry, about seven minutes in total; platforms wait no longer."""
log = logging.getLogger("kontor.host")

Run = Callable[[], Awaitable[Result]]


class Callbacks:
    """The pending callbacks of one host."""

    def __init__(self, *, allow_private: bool, shutdown_seconds: float) -> None:
        self._allow_private = allow_private
        self._shutdown_seconds = shutdown_seconds
        self._pending: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    def check(self, url: str) -> None:
        """Raise unless the URL is allowed and there is capacity."""
        check_target(url, allow_private=self._allow_private, field=FIELD)
        if len(self._pending) >= limits.MAX_PENDING_CALLBACKS:
            raise TooManyCallbacks

    def start(self, url: str, run: Run) -> tuple[str, str]:
        """Start the run in the background; return the request id that the callback carries, and what signs it."""
        in_flight, secret = CURRENT_REQUEST.get() or InFlight(request_id("")), signing.new_secret()
        task = asyncio.create_task(self._run_and_post(url, run, in_flight, secret), name="kontor-callback")
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)
        return in_flight.request_id, secret

    async def aclose(self) -> None:
        """Finish pending runs; report those that take too long as failed."""
        self._closing.set()
        if self._pending:
            _, slow = await asyncio.wait(self._pending, timeout=self._shutdown_seconds)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        if "_sender" in self.__dict__:
            await self._sender.aclose()

    async def _run_and_post(self, url: str, run: Run, in_flight: InFlight, secret: str) -> None:
        body = json.encode_clean(await _result_document(run, in_flight))
        if len(body) > MAX_BODY_BYTES:
            body = json.encode_clean(error_document(ResultTooLarge(MAX_BODY_BYTES), lang=in_flight.lang))
        last_attempt = False
        for delay in (*RETRY_DELAYS, None):
            message = signing.message_id("callback", in_flight.request_id)
            signed = signing.headers(secret, message, body.decode(), datetime.now(UTC))
            attempt = await self._sender.send(url, body, {"X-Request-Id": in_flight.request_id, **signed})
            if attempt.delivered:
                return
            if attempt.gone or last_attempt or delay is None:
                break
            last_attempt = await self._wait_unless_closing(delay)
        log.warning("nobody took the callback of request %s: %s", in_flight.request_id, attempt.error or attempt.status)

    async def _wait_unless_closing(self, seconds: float) -> bool:
        """Wait before a retry; return True at once when the host shuts down."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        return self._closing.is_set()

    @cached_property
    def _sender(self) -> Sender:
        return Sender(allow_private=self._allow_private)


async def _result_document(run: Run, in_flight: InFlight) -> dict[str, Any]:
    """The result of the run, or its error, as a JSON document."""
    reported: KontorError
    try:
        return (await run()).as_dict(in_flight.lang)
    except KontorError as error:
        reported = error
    except asyncio.CancelledError:  # shutdown: still report to the caller
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()
        reported = ServiceDown(say("host_callback_stopped"), remedy=say("host_callback_stopped_remedy"))
    except Exception as error:
        reported = internal_error(error, in_flight.request_id)
    return error_document(reported, lang=in_flight.lang, secret=in_flight.secret)
