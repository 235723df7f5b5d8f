"""Permits from a window that several processes share, fetched in blocks.

While the window cannot be reached, this process goes on with what it last saw of it and uses only a share of the
limit; what it sends in that time is reported later.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from connector.client.permits import (
    MAX_BLOCK,
    Granted,
    MemoryWindow,
    Permit,
    PermitStock,
    RateSnapshot,
    Report,
    Request,
    SharedWindow,
    snapshot_of,
    wait_in,
)
from connector.client.rate_window import RateWindow, Shown

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
class _Question:
    request: Request
    done: Future[None] = field(default_factory=Future)


class SharedPermits:
    """The permits of this process, and its side of the exchange with the shared window."""

    def __init__(
        self, shared: SharedWindow, scope: str, limit: int, window: float, before: RateWindow, lock: threading.Lock
    ) -> None:
        """`before`: what this process has sent without the shared window; `lock`: held by whoever calls, except `ask…`
        and `flush`."""
        self.shared = shared
        self.limit = limit
        self.window = window
        self._scope = scope
        self._lock = lock
        self._seen = RateWindow()
        self._ahead = 0.0
        """The window's clock minus ours."""
        self._alone = before
        self._stock = PermitStock()
        self._report = Report()
        self._question: _Question | None = None
        self._refused_at = NEVER
        """When the last 429 came, on our clock."""
        self._down = False
        self._retry_at = NEVER
        self._recheck_reads_at = self._recheck_writes_at = NEVER

    def wait(self, permit: Permit, ahead: int, now: float) -> float:
        """Return the seconds until a permit is free, `ahead` others being served first; `ask` may shorten them."""
        self._stock.drop_expired(now, self._report)
        at = self._expire(now)
        if self._seen.blocked_until > at:
            return self._seen.blocked_until - at
        recheck_in = 0.0
        if not self._down:
            if self._stock.usable(writes=permit.writes) > ahead:
                return 0.0
            recheck_in = max(ASK_PAUSE, self._recheck_at(permit.writes) - now)
        limit = self._seen.limit_at(at, self.limit)
        wait = wait_in(self._seen, limit, permit, ahead, at, self.window)
        if self._down:
            wait = max(wait, wait_in(self._alone, max(1, limit // ALONE_SHARE), permit, ahead, now, self.window))
        return max(wait, recheck_in)

    def take(self, permit: Permit, now: float) -> None:
        """Take a permit that `wait` has found free."""
        if not self._down:
            permit.block = self._stock.take(writes=permit.writes)
            permit.entry = permit.block.entry
        else:
            permit.block = permit.entry = None
            self._alone.take(1, now, self.window)
            self._seen.take(1, now + self._ahead, self.window)

    def release(self, permit: Permit, now: float, *, counted: bool) -> None:
        """Report the permit as answered, or put it back."""
        if permit.entry is None:
            return  # sent without a permit of the shared window
        if counted:
            self._report.add_answered(permit.entry, 1, now)
        elif permit.block is None or not self._stock.put_back(permit.block, now, writes=permit.writes):
            self._report.add_unused(permit.entry, 1)

    def observe(self, shown: Shown, now: float) -> None:
        """Report the headers of an answer, unless it was asked for before a 429 that has come meanwhile.

        That is decided here, on one clock: each exchange with the window moves our times by as long as it takes.
        """
        if shown.refused or shown.sent_at > self._refused_at:
            self._report.add_shown(shown)

    def block(self, now: float, until: float) -> None:
        """Report a 429, and hand out nothing until then."""
        self._refused_at = now
        self._report.add_blocked(now, until)
        self._seen.block(now + self._ahead, until + self._ahead, self.window)

    def forget(self) -> None:
        """Let the shared window begin anew."""
        self._report = Report(forget=True)
        self._seen.forget()
        self._alone.forget()
        self._stock = PermitStock()
        self._recheck_reads_at = self._recheck_writes_at = self._refused_at = NEVER

    def sent_alone(self) -> RateWindow:
        """Give back all unused permits; return what no window that others share has counted."""
        if not isinstance(self.shared, MemoryWindow):
            return RateWindow()
        self._stock.drop_all(self._report)
        for entry, unused in self._report.unused.items():
            self.shared.state.give_back(entry, unused)
        return self.shared.state

    def snapshot(self, now: float) -> RateSnapshot:
        """Return the state of the shared window as last seen."""
        seen = snapshot_of(self._seen, self.limit, now + self._ahead, self.window)
        unused = self._stock.usable(writes=True)
        blocked = self._seen.blocked_until > now + self._ahead
        remaining = 0 if blocked else seen.remaining + unused
        return RateSnapshot(seen.limit, seen.used - unused, remaining, seen.resets_in)

    def ask(self, waiting_writes: int, waiting_reads: int, now: float, speed: float) -> Future[None] | None:
        """Ask for permits, or tell the news; return what to wait for.

        None when there is nothing to ask, or when the window cannot be reached: then the time of `wait` applies.
        """
        with self._lock:
            if self._question is not None:
                if now - self._question.request.now >= ANSWER_SECONDS * speed:
                    self._go_down(now, speed)
                return None if self._down else self._question.done
            if self._down and now < self._retry_at:
                return None
            question = self._question_for(waiting_writes, waiting_reads, now)
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
        self._question = _Question(request)
        return self._question

    def _send(self, question: _Question, speed: float) -> None:
        answer = self.shared.exchange(self._scope, question.request, speed)
        answer.add_done_callback(partial(self._receive, question, speed))

    def _receive(self, question: _Question, speed: float, answer: Future[Granted]) -> None:
        request = question.request
        with self._lock:
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

    def _expire(self, now: float) -> float:
        at = now + self._ahead
        self._seen.expire(at, self.window)
        self._alone.expire(now, self.window)
        return at

    def _recheck_at(self, writes: bool) -> float:
        return self._recheck_writes_at if writes else self._recheck_reads_at
