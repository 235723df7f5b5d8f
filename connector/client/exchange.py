"""The client's logic without I/O: waiting for a permit, sending, retrying.

`exchange` is a generator. It yields a `Wait`, an `Await`, a `BeforeSend` or a `Send`, receives the result, and returns
the `Reply` or raises the error. The asynchronous and the blocking client differ only in how they execute these steps.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from connector.client.call import Call, PreparedRequest
from connector.client.credits import Charge
from connector.client.key_states import KeyState
from connector.client.own_window import Permit
from connector.client.rate_headers import is_limiter, requests_remain, seconds_until
from connector.client.rate_window import WINDOW
from connector.client.shared_permits import ANSWER_SECONDS, RECHECK_SECONDS
from connector.client.verdict import (
    Answer,
    TransportFailure,
    error_of,
    may_retry,
    nameless_reply_error,
    provider_error,
    unreadable_reply_error,
)
from connector.core import backoff, errors, localize
from connector.core.answers import says_nothing
from connector.core.clock import Clock
from connector.core.messages import LANGUAGES, Text, say
from connector.core.provider_answer import unusual_answer
from connector.core.redact import redact
from connector.core.values import json

TOLD_SECONDS = 1.0
"""A wait for the rate window that is worth telling of."""
FIRST_BACKOFF = 0.25
MAX_BACKOFF = 8.0
JITTER = (0.2, 1.0)
MAX_ATTEMPTS, MAX_LOOKUP_ATTEMPTS = 6, 3
"""Attempts against a service that fails or is unreachable: about five seconds in total, less for a dropdown. An answer
429 with a time to retry at is followed instead, within the deadline."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Sleep for this many seconds of the client's clock."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Await:
    """Wait until the future is done, but not longer than this many real seconds."""

    future: Future[None]
    seconds: float


@dataclass(frozen=True, slots=True)
class Send:
    """Send the request, with this timeout in real seconds."""

    request: PreparedRequest
    seconds: float


@dataclass(frozen=True, slots=True)
class BeforeSend:
    """Run the caller's step that must precede the first byte of an attempt; if it raises, nothing is sent."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A successful answer: the decoded value and its cost."""

    value: Any
    charge: Charge
    status: int = 200
    body: bytes = field(default=b"", repr=False)
    """The raw body, where the call asked for it with `keep_raw`."""
    attempts: int = 1
    warnings: tuple[Text, ...] = ()
    """What the accounting provider says in it that is unusual and no failure."""


Step = Wait | Await | BeforeSend | Send
Result = Answer | TransportFailure | None


def exchange(
    call: Call,
    request: PreparedRequest,
    state: KeyState,
    clock: Clock,
    *,
    host: str,
    secret: str,
    believed: Collection[int],
    before_send: bool = False,
) -> Generator[Step, Result, Reply]:
    """Wait for a rate-limit permit, send the call, and retry it if it is a read. A write is one request.

    With `before_send`, it yields a `BeforeSend` once its permit has been acquired, right before the first byte.
    """
    governor = state.governor
    deadline = clock.monotonic() + call.deadline
    attempts, failures, max_failures = 0, 0, MAX_LOOKUP_ATTEMPTS if call.lookup else MAX_ATTEMPTS
    permit = governor.enqueue(writes=call.writes or call.serves_write)
    state.credits.begin(call)
    try:
        while True:
            yield from _wait_for_permit(call, permit, state, clock, deadline)
            if before_send:
                yield from _before_send(permit, state, clock)
            result = yield Send(request, _answer_timeout(call, clock, deadline))
            assert result is not None  # a Send is always answered
            now = clock.monotonic()
            attempts += 1
            governor.release(permit, now, counted=isinstance(result, Answer) or result.sent)
            if isinstance(result, Answer):
                refused = result.status == 429
                governor.update_from_headers(
                    result.headers, now, clock.utcnow(), sent_at=permit.sent_at, refused=refused
                )
                if 200 <= result.status < 300:
                    return _reply(call, result, state, attempts, secret)
            failures += 1
            error = error_of(
                call,
                result,
                host=host,
                secret=secret,
                believed=believed,
                from_limiter=isinstance(result, Answer) and is_limiter(result.headers, clock.utcnow()),
            )
            pause = retry_pause(failures)
            if isinstance(result, Answer) and result.status == 429:
                failures -= 1
                wait = _retry_after(result, clock.utcnow()) or retry_pause(attempts)
                governor.block(wait, now)
                state.tell_rate("refused", wait, clock)
                governor.ask(now, clock.speed)  # tell the other processes, whatever becomes of this call
                if not call.writes or error.outcome == "not_sent":
                    error = _rate_limited(state, clock, wait, outcome="not_sent" if call.writes else "refused")
                pause = 0.0  # the governor's permit already waits that long
            if not may_retry(call, result) or failures >= max_failures or clock.monotonic() + pause >= deadline:
                raise error
            yield Wait(pause)
            permit = governor.enqueue(writes=call.writes or call.serves_write)
    finally:
        governor.release(permit, clock.monotonic())
        state.credits.end(call)


def _before_send(permit: Permit, state: KeyState, clock: Clock) -> Generator[Step, Result, None]:
    try:
        yield BeforeSend()
    except BaseException:
        state.governor.release(permit, clock.monotonic(), counted=False)  # nothing was sent
        raise


def _answer_timeout(call: Call, clock: Clock, deadline: float) -> float:
    """Return the timeout for one answer, in real seconds.

    A write gets its full timeout even past the deadline: hanging up early would turn a known outcome into an unknown
    one.
    """
    return call.timeout if call.writes else max(0.001, min(call.timeout, clock.real(deadline - clock.monotonic())))


def _wait_for_permit(
    call: Call, permit: Permit, state: KeyState, clock: Clock, deadline: float
) -> Generator[Step, Result, None]:
    governor, recheck, waited = state.governor, RECHECK_SECONDS * clock.speed, False
    while (wait := governor.try_acquire(permit, clock.monotonic())) > 0:
        asked = governor.ask(clock.monotonic(), clock.speed)
        if asked is not None:
            if not asked.done():
                yield Await(asked, ANSWER_SECONDS)
            continue
        if wait >= TOLD_SECONDS:
            state.tell_rate("used_up", wait, clock)
            waited = True
        if clock.monotonic() + wait >= deadline:
            raise _rate_limited(state, clock, wait, outcome="not_sent")
        yield Wait(min(wait, recheck))
    if waited:
        state.tell_rate("free", 0.0, clock)
    governor.ask_ahead(clock.monotonic(), clock.speed)


def _reply(call: Call, answer: Answer, state: KeyState, attempts: int, secret: str) -> Reply:
    if call.keep_raw:
        return Reply(None, state.credits.record(call, None), answer.status, answer.body, attempts)
    try:
        value = json.decode(answer.body) if answer.body.strip() else None
    except ValueError:
        raise unreadable_reply_error(call, answer) from None
    if call.names_result and says_nothing(value):
        raise nameless_reply_error(answer)
    charge = state.credits.record(call, value)  # whatever the provider says, the service has charged for it
    provider = unusual_answer(value)
    if provider is None:
        return Reply(value, charge, answer.status, attempts=attempts)
    said = redact(provider.said, secret)
    if provider.failed:
        raise provider_error(call, said, answer.status)
    return Reply(value, charge, answer.status, attempts=attempts, warnings=(say("provider_unusual", said=said),))


def retry_pause(attempts: int) -> float:
    """Return the exponential back-off after so many attempts, with jitter."""
    return backoff.jittered(backoff.doubled(attempts, first=FIRST_BACKOFF, longest=MAX_BACKOFF), JITTER)


def _retry_after(answer: Answer, utcnow: datetime) -> float | None:
    """Return the seconds after which a 429 allows the next attempt; None when it does not say."""
    # While requests remain, another than the rate limiter has answered, and its window says nothing.
    told = ("retry-after",) if requests_remain(answer.headers) else ("retry-after", "ratelimit-reset")
    for name in told:
        text = answer.headers.get(name)
        seconds = seconds_until(text, utcnow, answer.headers.get("date")) if text else None
        if seconds is not None:
            return max(seconds, 0.05)
    return None


def _rate_limited(state: KeyState, clock: Clock, wait: float, *, outcome: errors.Outcome) -> errors.RateLimited:
    retry_at = clock.utcnow() + timedelta(seconds=wait)
    until = Text(*(localize.time_of_day(retry_at, lang) for lang in LANGUAGES))
    limit = state.governor.snapshot(clock.monotonic()).limit
    message = say("rate_limited", limit=limit, minutes=int(WINDOW / 60), until=until)
    return errors.RateLimited(message, outcome=outcome, retry_at=retry_at, reason="rate_limited")
