"""Sends a call: a permit of the rate window, one request, and what its answer means; a read is tried again.

`exchange` is all that a read needs. A write goes through the same parts one by one, since it is recorded between its
permit and its first byte: see `runtime/writes/write.py`.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from connector.client.call import Call, prepare
from connector.client.governor import ANSWER_SECONDS, RECHECK_SECONDS, Permit
from connector.client.key_states import Charge, KeyState
from connector.client.rate_window import WINDOW, is_limiter, requests_remain, seconds_until
from connector.client.steps import Await, Pause, Steps, Transmit
from connector.client.verdict import (
    Answer,
    TransportFailure,
    error_of,
    failed_success_error,
    may_retry,
    provider_error,
    unreadable_reply_error,
)
from connector.core import errors, timing
from connector.core.data import localize
from connector.core.data.answers import says_nothing
from connector.core.messages import LANGUAGES, Text, say
from connector.core.service.credential import Credential, redact
from connector.core.service.wire import BELIEVED
from connector.core.timing import Clock
from connector.core.values import json
from connector.core.writes.proof import tells_failure, unusual_answer

MAX_FAILURE_BYTES = 16_384
"""A success that tells a failure and nothing else is no longer: what is, need not be decoded to see that."""
TOLD_SECONDS = 1.0
"""A wait for the rate window that is worth telling of."""
FIRST_BACKOFF = 0.25
MAX_BACKOFF = 8.0
JITTER = (0.2, 1.0)
MAX_ATTEMPTS, MAX_LOOKUP_ATTEMPTS = 6, 3
"""Attempts against a service that fails or is unreachable: about five seconds in total, less for a dropdown. An answer
429 with a time to retry at is followed instead, within the deadline."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Under which credential, by which clock and within which limits calls are sent."""

    credential: Credential
    clock: Clock
    state: KeyState


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


def exchange(call: Call, sender: Sender) -> Steps[Reply]:
    """Send a call and return the reply, or raise what its answer means. A read is tried again while that may help."""
    with Sending(call, sender) as sending:
        while True:
            yield from sending.wait_for_permit()
            try:
                return (yield from sending.request())
            except errors.KontorError:
                pause = sending.pause_before_retry()
                if pause is None:
                    raise
            yield Pause(sender.clock.real(pause))


class Sending:
    """A call on its way. Each request needs a permit of its own."""

    def __init__(self, call: Call, sender: Sender) -> None:
        self._call, self._sender, self._clock, self._state = call, sender, sender.clock, sender.state
        self._request = prepare(call, sender.credential)
        self._permit: Permit | None = None
        self._answer: Answer | TransportFailure | None = None
        self._attempts = self._failures = 0
        self.deadline = self._clock.monotonic() + call.deadline
        """Until when it is tried, on the monotonic clock."""

    def __enter__(self) -> Self:
        self._state.credits.begin(self._call)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_permit(counted=True)  # interrupted while it was on its way
        self._state.credits.end(self._call)

    def wait_for_permit(self) -> Steps[None]:
        """Wait until the rate window lets a request go; raise `RateLimited` where that is after the deadline."""
        call, clock, state = self._call, self._clock, self._state
        governor, recheck, waited = state.governor, RECHECK_SECONDS * clock.speed, False
        permit = self._permit = governor.enqueue(writes=call.writes or call.serves_write)
        while (wait := governor.try_acquire(permit, clock.monotonic())) > 0:
            asked = governor.ask(clock.monotonic(), clock.speed)
            if asked is not None:
                if not asked.done():
                    yield Await(asked, ANSWER_SECONDS)
                continue
            if wait >= TOLD_SECONDS:
                state.tell_rate("used_up", wait, clock)
                waited = True
            if clock.monotonic() + wait >= self.deadline:
                raise _rate_limited(state, clock, wait, outcome="not_sent")
            yield Pause(clock.real(min(wait, recheck)))
        if waited:
            state.tell_rate("free", 0.0, clock)
        governor.ask_ahead(clock.monotonic(), clock.speed)

    def return_permit(self) -> None:
        """Give the permit back: nothing is sent under it."""
        self._end_permit(counted=False)

    def request(self) -> Steps[Reply]:
        """Send one request under the permit; return the reply, or raise what its answer means."""
        call, clock, state = self._call, self._clock, self._state
        permit = self._permit
        if permit is None:
            raise TypeError("a request needs a permit")
        answer = _without_bom((yield Transmit(self._request, self._timeout())))
        self._answer, now = answer, clock.monotonic()
        self._attempts += 1
        self._end_permit(counted=isinstance(answer, Answer) or answer.sent)
        if isinstance(answer, Answer):
            refused = answer.status == 429
            state.governor.update_from_headers(
                answer.headers, now, clock.utcnow(), sent_at=permit.sent_at, refused=refused
            )
            if 200 <= answer.status < 300:
                return _reply(call, answer, state, self._attempts, self._sender.credential.api_key)
        raise self._error(answer)

    def pause_before_retry(self) -> float | None:
        """Return how long to wait before the call is tried again after an error; None where it is not."""
        if self._answer is None or not may_retry(self._call, self._answer):
            return None
        limited = isinstance(self._answer, Answer) and self._answer.status == 429
        pause = 0.0 if limited else retry_pause(self._failures)  # the next permit waits until the limiter allows it
        most = MAX_LOOKUP_ATTEMPTS if self._call.lookup else MAX_ATTEMPTS
        return None if self._failures >= most or self._clock.monotonic() + pause >= self.deadline else pause

    def _error(self, answer: Answer | TransportFailure) -> errors.KontorError:
        call, clock, state, credential = self._call, self._clock, self._state, self._sender.credential
        error = error_of(
            call,
            answer,
            host=urlsplit(credential.base_url).netloc,
            secret=credential.api_key,
            believed=credential.wire[BELIEVED],
            from_limiter=isinstance(answer, Answer) and is_limiter(answer.headers, clock.utcnow()),
        )
        if not isinstance(answer, Answer) or answer.status != 429:
            self._failures += 1
            return error
        now, wait = clock.monotonic(), _retry_after(answer, clock.utcnow()) or retry_pause(self._attempts)
        state.governor.block(wait, now)
        state.tell_rate("refused", wait, clock)
        state.governor.ask(now, clock.speed)  # tell the other processes, whatever becomes of this call
        if call.writes and error.outcome != "not_sent":
            return error
        return _rate_limited(state, clock, wait, outcome="not_sent" if call.writes else "refused")

    def _timeout(self) -> float:
        """Return the timeout for one answer, in real seconds.

        A write gets its full timeout even past the deadline: hanging up early would turn a known outcome into an
        unknown one.
        """
        if self._call.writes:
            return self._call.timeout
        left = self._clock.real(self.deadline - self._clock.monotonic())
        return max(0.001, min(self._call.timeout, left))

    def _end_permit(self, *, counted: bool) -> None:
        permit, self._permit = self._permit, None
        if permit is not None:
            self._state.governor.release(permit, self._clock.monotonic(), counted=counted)


def _reply(call: Call, answer: Answer, state: KeyState, attempts: int, secret: str) -> Reply:
    if call.keep_raw:
        if len(answer.body) <= MAX_FAILURE_BYTES and tells_failure(_value_in(answer.body)):
            raise failed_success_error(call, answer, secret)
        return Reply(None, state.credits.record(call, None), answer.status, answer.body, attempts)
    try:
        value = json.decode(answer.body) if answer.body.strip() else None
    except ValueError:
        raise unreadable_reply_error(call, answer) from None
    if tells_failure(value) or (call.names_result and says_nothing(value, call.made_names)):
        raise failed_success_error(call, answer, secret)
    charge = state.credits.record(call, value)  # whatever the provider says, the service has charged for it
    provider = unusual_answer(value)
    if provider is None:
        return Reply(value, charge, answer.status, attempts=attempts)
    said = redact(provider.said, secret)
    if provider.failed:
        raise provider_error(call, said, answer.status)
    return Reply(value, charge, answer.status, attempts=attempts, warnings=(say("provider_unusual", said=said),))


def _without_bom(answer: Answer | TransportFailure) -> Answer | TransportFailure:
    """Return the answer without the byte order mark with which some servers begin JSON."""
    if isinstance(answer, Answer) and answer.body.startswith(codecs.BOM_UTF8):
        return replace(answer, body=answer.body.removeprefix(codecs.BOM_UTF8))
    return answer


def _value_in(body: bytes) -> Any:
    """Return what a body says; None for one that is not read as a whole."""
    try:
        return json.decode(body)
    except ValueError:
        return None


def retry_pause(attempts: int) -> float:
    """Return the exponential back-off after so many attempts, with jitter."""
    return timing.jittered(timing.doubled(attempts, first=FIRST_BACKOFF, longest=MAX_BACKOFF), JITTER)


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
