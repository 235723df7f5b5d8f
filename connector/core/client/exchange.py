"""The pure core of the client: what to do next, step by step, without doing it.

`exchange` is a generator. It yields a `Wait` or a `Send`, gets back what came of it, and returns the `Reply` or raises
the error. The asynchronous and the blocking client differ only in how they carry out these two steps.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from connector.core import backoff, errors, localize
from connector.core.client.call import Call, Prepared
from connector.core.client.credits import Charge
from connector.core.client.governor import WINDOW, Permit, seconds_until
from connector.core.client.shared import KeyState
from connector.core.client.verdict import Answer, Lost, error_of, may_repeat, unreadable
from connector.core.clock import Clock
from connector.core.messages import LANGUAGES, Text, say
from connector.core.values import json

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
SHARE_OF_PAUSE = (0.2, 1.0)
MOST_ATTEMPTS, MOST_FOR_A_FORM = 6, 3
"""How often a service that fails or is not there is asked: some five seconds of patience, a form's dropdown less. A
service that says when to come back is believed, as far as the deadline allows."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let this many seconds of the client's clock pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Send:
    """Send the request; take at most this many real seconds."""

    request: Prepared
    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A success: the service's value, and what it cost."""

    value: Any
    charge: Charge
    status: int = 200
    body: bytes = field(default=b"", repr=False)
    """The bytes as they came, where the call asked for them unread."""
    attempts: int = 1


Step = Wait | Send
Result = Answer | Lost | None


def exchange(
    call: Call, request: Prepared, state: KeyState, clock: Clock, *, host: str, secret: str
) -> Generator[Step, Result, Reply]:
    """Carries one call through queueing, sending and, where that is safe, sending again."""
    governor = state.governor
    ends = clock.monotonic() + call.deadline
    attempts, failures, most = 0, 0, MOST_FOR_A_FORM if call.lookup else MOST_ATTEMPTS
    permit = governor.queue(writes=call.writes)
    state.credits.begin(call)
    try:
        while True:
            yield from _queue(call, permit, state, clock, ends)
            result = yield Send(request, _patience(call, clock, ends))
            assert result is not None  # a Send is always answered
            now = clock.monotonic()
            attempts += 1
            governor.leave(permit, now, counted=isinstance(result, Answer) or result.sent)
            if isinstance(result, Answer):
                governor.learn(result.headers, now, clock.utcnow())
                if 200 <= result.status < 300:
                    return _reply(call, result, state, attempts)
            if isinstance(result, Answer) and result.status == 429:
                pause = _told_pause(result, clock.utcnow()) or _pause(attempts)
                governor.block(pause, now)
                error: errors.KontorError = _rate_limited(state, clock, pause, outcome="refused")
                pause = 0.0  # the governor holds us back as long as it must
            else:
                failures += 1
                error = error_of(call, result, host=host, secret=secret)
                pause = _pause(failures)
            if not may_repeat(call, result) or failures >= most or clock.monotonic() + pause >= ends:
                raise error
            yield Wait(pause)
            permit = governor.queue(writes=call.writes)
    finally:
        governor.leave(permit, clock.monotonic())
        state.credits.end(call)


def _patience(call: Call, clock: Clock, ends: float) -> float:
    """How many real seconds one answer may take.

    A write that has left gets all its time, even past the deadline: to hang up early would only make a known outcome
    an unknown one.
    """
    return call.timeout if call.writes else max(0.001, min(call.timeout, clock.real(ends - clock.monotonic())))


def _queue(call: Call, permit: Permit, state: KeyState, clock: Clock, ends: float) -> Generator[Step, Result, None]:
    while (wait := state.governor.ask(permit, clock.monotonic())) > 0:
        if clock.monotonic() + wait >= ends:
            raise _rate_limited(state, clock, wait, outcome="not_sent")
        yield Wait(wait)


def _reply(call: Call, answer: Answer, state: KeyState, attempts: int) -> Reply:
    if call.unread:
        return Reply(None, state.credits.book(call, None), answer.status, answer.body, attempts)
    try:
        value = json.decode(answer.body) if answer.body.strip() else None
    except ValueError:
        raise unreadable(call, answer) from None
    return Reply(value, state.credits.book(call, value), answer.status, attempts=attempts)


def _pause(attempts: int) -> float:
    """Longer after each attempt, and never in step with others who failed at the same moment."""
    return backoff.jittered(backoff.doubled(attempts, first=FIRST_PAUSE, longest=LONGEST_PAUSE), SHARE_OF_PAUSE)


def _told_pause(answer: Answer, today: datetime) -> float | None:
    """When a 429 says to come back."""
    for name in ("retry-after", "ratelimit-reset"):
        text = answer.headers.get(name)
        seconds = seconds_until(text, today, answer.headers.get("date")) if text else None
        if seconds is not None:
            return max(seconds, 0.05)
    return None


def _rate_limited(state: KeyState, clock: Clock, wait: float, *, outcome: errors.Outcome) -> errors.RateLimited:
    retry_at = clock.utcnow() + timedelta(seconds=wait)
    until = Text(*(localize.time_of_day(retry_at, lang) for lang in LANGUAGES))
    message = say("rate_limited", limit=state.governor.limit, minutes=int(WINDOW / 60), until=until)
    return errors.RateLimited(message, outcome=outcome, retry_at=retry_at, reason="rate_limited")
