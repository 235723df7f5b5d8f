"""The governor: a client-side rate limiter shared by all callers of one API key (or address) in this process.

The service allows a number of requests per window and refuses all callers of the key beyond that. So every request
first acquires a permit here. Waiting writes come before waiting reads, and some permits are reserved for writes, so
that polling cannot starve a payment.

The permits come in blocks from a window that several processes share (`permits.py`). While it cannot be reached, this
process goes on with what it last saw of it and uses only a share of the limit; what it sends in that time is reported
later.

It has no clock and never sleeps: `try_acquire` returns how long to wait, and the caller waits and tries again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from connector.client.permits import MAX_BLOCK, Granted, MemoryWindow, Report, Request, SharedWindow
from connector.client.rate_window import LIMIT, VALIDITY, WINDOW, RateSnapshot, RateWindow, shown_by

COLD_START = 5
"""Requests allowed in flight before the first answer has reported how much of the window is left."""
COLD_START_SECONDS = 1.0
"""How long that bound applies; a slow first call must not block the others."""
COLD_START_PAUSE = 0.02
ANSWER_SECONDS = 2.0
"""Real seconds after which a window that does not answer counts as unreachable."""
RETRY_SECONDS = 5.0
"""Real seconds until an unreachable window is asked again, in the background."""
RECHECK_SECONDS = 0.5
"""Real seconds until a window without free permits is asked again: other processes may have given some back."""
ALONE_SHARE = 4
"""While the window cannot be reached, a process uses a quarter of the limit."""
ASK_PAUSE = 0.02
"""What a caller waits who has nobody to ask just now."""
NEVER = float("-inf")


@dataclass(slots=True, eq=False)
class Permit:
    """A request's place in the queue, and once acquired its right to be sent."""

    writes: bool
    sent: bool = False
    sent_at: float = 0.0
    source: object = None
    """Where it was acquired."""
    entry: float | None = None
    """The entry of the window that counts it."""
    block: Block | None = None


@dataclass(slots=True, eq=False)
class Block:
    """Permits that were granted together."""

    entry: float
    permits: int
    for_writes: int
    valid_until: float

    @property
    def count(self) -> int:
        """All its permits."""
        return self.permits + self.for_writes


@dataclass(slots=True)
class PermitStock:
    """The blocks in hand, and how large the next should be."""

    _blocks: list[Block] = field(default_factory=list)
    _last_granted: int = 0
    _last_granted_at: float = float("-inf")

    def usable(self, *, writes: bool) -> int:
        """Return how many permits a call may choose from."""
        return sum(block.count if writes else block.permits for block in self._blocks)

    def take(self, *, writes: bool) -> Block:
        """Take one permit of the oldest block, a write first of those that only writes may use."""
        for block in self._blocks:
            if writes and block.for_writes:
                block.for_writes -= 1
                return block
        block = next(block for block in self._blocks if block.permits)
        block.permits -= 1
        return block

    def put_back(self, block: Block, now: float, *, writes: bool) -> bool:
        """Put back a permit that was not used; False when it is no longer valid."""
        if block.valid_until <= now or block not in self._blocks:
            return False
        if writes:
            block.for_writes += 1  # it may have come from the headroom
        else:
            block.permits += 1
        return True

    def add(self, granted: Granted, asked_at: float) -> None:
        """Add what was granted; it is valid from the question on, since the window's clock is not ours."""
        self._last_granted, self._last_granted_at = granted.permits + granted.for_writes, asked_at
        if self._last_granted:
            self._blocks.append(Block(granted.entry, granted.permits, granted.for_writes, asked_at + VALIDITY))

    def drop_expired(self, now: float, report: Report) -> None:
        """Report the permits that expired unused, and forget blocks that are used up."""
        kept = []
        for block in self._blocks:
            if block.count and block.valid_until > now:
                kept.append(block)
            else:
                report.add_unused(block.entry, block.count)
        self._blocks = kept

    def drop_all(self, report: Report) -> None:
        """Report all permits as unused."""
        self.drop_expired(float("inf"), report)

    def next_size(self, needed: int, now: float) -> int:
        """Return how many permits to ask for: as many as are needed, in a burst of calls twice the last block."""
        in_burst = now - self._last_granted_at <= VALIDITY
        return min(MAX_BLOCK, max(needed, 2 * self._last_granted if in_burst else 0))

    @property
    def runs_low(self) -> bool:
        """Whether a burst of calls has nearly used up the permits."""
        return self._last_granted >= MAX_BLOCK - 1 and self.usable(writes=True) <= MAX_BLOCK // 2


@dataclass(slots=True, eq=False)
class _Question:
    shared: SharedWindow
    scope: str
    request: Request
    done: Future[None] = field(default_factory=Future)


class Governor:
    """Shared by all clients of one API key, in all threads and event loops."""

    def __init__(self, limit: int = LIMIT, window: float = WINDOW) -> None:
        self.limit = limit
        """The limit, unless the service reports another."""
        self.window = window
        self._lock = threading.Lock()
        self._waiting_reads: list[Permit] = []
        self._waiting_writes: list[Permit] = []
        self._in_flight = 0
        self._has_answer = False
        self._cold_until = 0.0
        self._begin(MemoryWindow(), "", RateWindow())

    def _begin(self, shared: SharedWindow, scope: str, before: RateWindow) -> None:
        """Take permits from this window; `before` is what this process has sent without it."""
        self._shared, self._scope = shared, scope
        self._alone = before
        """What was sent without a permit of the window and is not reported."""
        self._seen = RateWindow()
        """The window as last seen."""
        self._ahead = 0.0
        """The window's clock minus ours."""
        self._stock = PermitStock()
        self._report = Report()
        self._question: _Question | None = None
        self._down = False
        self._refused_at = self._retry_at = NEVER
        """When the last 429 came, and from when a window that cannot be reached is asked again, on our clock."""
        self._recheck_reads_at = self._recheck_writes_at = NEVER

    def attach(self, shared: SharedWindow, scope: str) -> None:
        """Take permits from a shared window from now on."""
        with self._lock:
            if self._shared is not shared:
                self._begin(shared, scope, self._sent_alone())

    def detach(self, shared: SharedWindow) -> None:
        """Count for this process alone again."""
        with self._lock:
            if self._shared is shared:
                self._begin(MemoryWindow(), "", RateWindow())

    # A request and its permit

    def enqueue(self, *, writes: bool) -> Permit:
        """Add a request to the queue. `writes`: it writes, or serves a write, and may use the headroom."""
        permit = Permit(writes)
        with self._lock:
            (self._waiting_writes if writes else self._waiting_reads).append(permit)
        return permit

    def try_acquire(self, permit: Permit, now: float) -> float:
        """Return 0 and count the request when it may be sent now; otherwise the seconds to wait before trying again.

        `ask` may shorten them.
        """
        with self._lock:
            wait = self._wait(permit, now)
            if wait <= 0:
                (self._waiting_writes if permit.writes else self._waiting_reads).remove(permit)
                permit.sent, permit.sent_at, permit.source = True, now, self._shared
                self._take(permit, now)
                self._in_flight += 1
                if self._cold_until == 0:
                    self._cold_until = now + COLD_START_SECONDS
            return wait

    def release(self, permit: Permit, now: float, *, counted: bool = True) -> None:
        """Remove a permit from the queue, or end it once sent. `counted` is False if it never reached the service.

        A request counts against the window until a full window after its answer: the service may have counted it at
        any moment in between.
        """
        with self._lock:
            if not permit.sent:
                queue = self._waiting_writes if permit.writes else self._waiting_reads
                if permit in queue:
                    queue.remove(permit)
                return
            permit.sent = False
            self._in_flight -= 1
            if permit.entry is None or permit.source is not self._shared:
                return  # it was sent without a permit of this window
            if counted:
                self._report.add_answered(permit.entry, 1, now)
            elif permit.block is None or not self._stock.put_back(permit.block, now, writes=permit.writes):
                self._report.add_unused(permit.entry, 1)

    def _wait(self, permit: Permit, now: float) -> float:
        if self._is_cold(now):
            return COLD_START_PAUSE
        # Waiting writes come before waiting reads, each in order of arrival.
        ahead = (
            self._waiting_writes.index(permit)
            if permit.writes
            else len(self._waiting_writes) + self._waiting_reads.index(permit)
        )
        self._stock.drop_expired(now, self._report)
        at = now + self._ahead
        self._seen.expire(at, self.window)
        self._alone.expire(now, self.window)
        if self._seen.blocked_until > at:
            return self._seen.blocked_until - at
        limit = self._seen.limit_at(at, self.limit)
        wait = self._seen.wait_for(limit, ahead, at, self.window, writes=permit.writes)
        if self._down:
            share = max(1, limit // ALONE_SHARE)
            return max(wait, self._alone.wait_for(share, ahead, now, self.window, writes=permit.writes))
        if self._stock.usable(writes=permit.writes) > ahead:
            return 0.0
        recheck_at = self._recheck_writes_at if permit.writes else self._recheck_reads_at
        return max(wait, ASK_PAUSE, recheck_at - now)

    def _is_cold(self, now: float) -> bool:
        """Whether the first answer must be awaited before more is sent."""
        return not self._has_answer and self._in_flight >= COLD_START and now < self._cold_until

    def _take(self, permit: Permit, now: float) -> None:
        """Take a permit that was found free."""
        if not self._down:
            permit.block = self._stock.take(writes=permit.writes)
            permit.entry = permit.block.entry
        else:
            permit.block = permit.entry = None
            self._alone.take(1, now, self.window)
            self._seen.take(1, now + self._ahead, self.window)

    # What the service says

    def update_from_headers(
        self,
        headers: Mapping[str, str],
        now: float,
        utcnow: datetime,
        *,
        sent_at: float | None = None,
        refused: bool = False,
    ) -> None:
        """Report the `RateLimit-*` headers of an answer; `refused`: it was a 429."""
        sent_at = now if sent_at is None else sent_at
        shown = shown_by(headers, now, utcnow, sent_at=sent_at, refused=refused, window=self.window)
        with self._lock:
            self._has_answer = True
            # What was asked for before a 429 that has come meanwhile is out of date. That is decided here, on one
            # clock: each exchange with the window moves our times by as long as it takes.
            if shown is not None and (refused or sent_at > self._refused_at):
                self._report.add_shown(shown)

    def block(self, seconds: float, now: float) -> None:
        """Send nothing for so many seconds, after an answer 429."""
        until = now + min(seconds, self.window)
        with self._lock:
            self._has_answer = True
            self._refused_at = now
            self._report.add_blocked(now, until)
            self._seen.block(now + self._ahead, until + self._ahead, self.window)

    def forget(self) -> None:
        """Begin with an empty window: the service has begun anew."""
        with self._lock:
            self._report = Report(forget=True)
            self._seen.forget()
            self._alone.forget()
            self._stock = PermitStock()
            self._recheck_reads_at = self._recheck_writes_at = self._refused_at = NEVER

    def snapshot(self, now: float) -> RateSnapshot:
        """Return the state of the window as last seen, for display and metrics."""
        with self._lock:
            at = now + self._ahead
            seen, unused = self._seen.snapshot(self.limit, at, self.window), self._stock.usable(writes=True)
            remaining = 0 if self._seen.blocked_until > at else seen.remaining + unused
            return RateSnapshot(seen.limit, seen.used - unused, remaining, seen.resets_in)

    # The exchange with the window. `speed` is that of the caller's clock.

    def ask(self, now: float, speed: float) -> Future[None] | None:
        """Ask the window for permits, or tell it the news; return what to wait for.

        None when there is nothing to ask, or when the window cannot be reached: then only time helps.
        """
        if self._is_cold(now):
            return None  # what is asked for now would be used up after the first answer, whatever that reports
        with self._lock:
            if self._question is not None:
                if now - self._question.request.now >= ANSWER_SECONDS * speed:
                    self._go_down(now, speed)
                return None if self._down else self._question.done
            if self._down and now < self._retry_at:
                return None
            question = self._question_for(len(self._waiting_writes), len(self._waiting_reads), now)
        if question is None:
            return None
        self._send(question, speed)
        return None if self._down else question.done

    def ask_ahead(self, now: float, speed: float) -> None:
        """Ask for the next block before the last one is used up, so that nobody waits for it."""
        if self._question is not None or self._down or not self._stock.runs_low:
            return
        with self._lock:
            if self._question is not None or now < self._recheck_reads_at:
                return
            question = self._new_question(MAX_BLOCK, 0, now)
        self._send(question, speed)

    def flush(self, now: float, speed: float) -> Future[None] | None:
        """Give back all unused permits and tell the news; return what to wait for."""
        with self._lock:
            if self._question is not None or self._down:
                return None if self._question is None else self._question.done
            self._stock.drop_all(self._report)
            if not self._has_news():
                return None
            question = self._new_question(0, 0, now)
        self._send(question, speed)
        return question.done

    def _question_for(self, waiting_writes: int, waiting_reads: int, now: float) -> _Question | None:
        """Return a question for what is lacking; None when nothing is, or when it was refused a moment ago."""
        self._stock.drop_expired(now, self._report)
        news = self._has_news()
        ask_writes, ask_reads = (news or now >= at for at in (self._recheck_writes_at, self._recheck_reads_at))
        lacking = max(
            0,
            waiting_writes + waiting_reads - self._stock.usable(writes=True),
            waiting_reads - self._stock.usable(writes=False),
        )
        for_writes = min(lacking, waiting_writes, MAX_BLOCK) if ask_writes else 0
        permits = self._stock.next_size(lacking, now) - for_writes if lacking and ask_reads else 0
        return self._new_question(permits, for_writes, now) if permits or for_writes or news else None

    def _has_news(self) -> bool:
        return bool(self._report) or self._alone.used() > 0

    def _new_question(self, permits: int, for_writes: int, now: float) -> _Question:
        report, self._report = self._report, Report()
        report.without_permit = self._alone.used()
        request = Request(now, permits, for_writes, self.limit, self.window, report)
        self._question = _Question(self._shared, self._scope, request)
        return self._question

    def _send(self, question: _Question, speed: float) -> None:
        answer = question.shared.exchange(question.scope, question.request, speed)
        answer.add_done_callback(partial(self._receive, question, speed))

    def _receive(self, question: _Question, speed: float, answer: Future[Granted]) -> None:
        request = question.request
        with self._lock:
            if question is self._question:  # else it asked a window that was left meanwhile
                self._question = None
                if answer.exception() is None:
                    self._apply(request, answer.result(), speed)
                else:
                    request.report.without_permit = 0
                    request.report.unused.clear()  # it may have arrived: better count them than give them back twice
                    self._report.merge_earlier(request.report)
                    self._go_down(request.now, speed)
        question.done.set_result(None)

    def _apply(self, request: Request, granted: Granted, speed: float) -> None:
        self._down = False
        self._seen, self._ahead = granted.window, granted.now - request.now
        if self._report.blocked is not None:
            at, until = self._report.blocked
            self._seen.block(at + self._ahead, until + self._ahead, self.window)
        if request.report.without_permit:
            unreported, self._alone = self._alone.used() - request.report.without_permit, RateWindow()
            self._alone.add(max(0, unreported), request.now, self.window)
        self._stock.add(granted, request.now)
        recheck_at = request.now + RECHECK_SECONDS * speed
        if granted.permits < request.permits:
            self._recheck_reads_at = recheck_at
        if granted.for_writes < request.for_writes and not granted.permits:
            self._recheck_writes_at = recheck_at

    def _go_down(self, now: float, speed: float) -> None:
        self._down = True
        self._retry_at = now + RETRY_SECONDS * speed

    def _sent_alone(self) -> RateWindow:
        """Give back all unused permits; return what no window that others share has counted."""
        if not isinstance(self._shared, MemoryWindow):
            return RateWindow()
        self._stock.drop_all(self._report)
        for entry, unused in self._report.unused.items():
            self._shared.state.give_back(entry, unused)
        return self._shared.state
