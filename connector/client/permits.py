"""What a process asks of a rate window and what it is granted: both sides of one exchange. Pure, told the time.

The window is a row of the database that all processes share (`store/rates/rate_windows.py`), or, until one is
attached, the memory of this process. A process asks for blocks of permits, which it may use for some seconds without
asking again, and reports with the next question what became of the last ones.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from connector.client.rate_window import RateWindow, Shown, headroom

MAX_BLOCK = 5
"""Permits handed out at once."""


@dataclass(slots=True)
class Report:
    """What a process knows and the window does not yet. Times are those of the process's clock."""

    answered: dict[float, tuple[int, float]] = field(default_factory=dict)
    """By entry: how many of its permits were answered, and when the last one was."""
    unused: dict[float, int] = field(default_factory=dict)
    """By entry: how many of its permits were surely not used."""
    without_permit: int = 0
    """Requests sent while the window could not be reached."""
    shown: Shown | None = None
    """The headers of the latest answer."""
    blocked: tuple[float, float] | None = None
    """When a 429 came, and until when it forbids to send."""
    forget: bool = False
    """Whether the service has begun anew, so that nothing counts any more."""

    def __bool__(self) -> bool:
        return bool(
            self.answered or self.unused or self.without_permit or self.shown or self.blocked is not None or self.forget
        )

    def add_answered(self, entry: float, count: int, at: float) -> None:
        """Add permits that were answered."""
        before, latest = self.answered.get(entry, (0, at))
        self.answered[entry] = (before + count, max(latest, at))

    def add_unused(self, entry: float, count: int) -> None:
        """Add permits that were not used."""
        if count:
            self.unused[entry] = self.unused.get(entry, 0) + count

    def add_shown(self, shown: Shown) -> None:
        """Add the headers of an answer: of one window, those that left least, in whatever order the answers came."""
        self.shown = shown.after(self.shown)

    def add_blocked(self, at: float, until: float) -> None:
        """Add a 429."""
        self.blocked = (at, max(until, self.blocked[1] if self.blocked else until))

    def merge_earlier(self, earlier: Report) -> None:
        """Add an earlier report that did not arrive."""
        for entry, (count, at) in earlier.answered.items():
            self.add_answered(entry, count, at)
        for entry, unused in earlier.unused.items():
            self.add_unused(entry, unused)
        self.without_permit += earlier.without_permit
        self.shown = earlier.shown if self.shown is None else self.shown.after(earlier.shown)
        self.forget = self.forget or earlier.forget
        if earlier.blocked is not None:
            self.add_blocked(*earlier.blocked)


@dataclass(frozen=True, slots=True)
class Request:
    """What a process asks of the window."""

    now: float
    """The process's clock when it asked."""
    permits: int
    """Permits wanted that any call may use."""
    for_writes: int
    """Permits wanted for writes, which may use the headroom."""
    limit: int
    """The limit, unless the service has reported another."""
    window: float
    report: Report


@dataclass(frozen=True, slots=True)
class Granted:
    """The window's answer."""

    permits: int
    for_writes: int
    entry: float
    """Identifies the permits in the next report."""
    now: float
    """The window's clock."""
    window: RateWindow
    """The whole state, for display and for the time when the window cannot be reached."""


class SharedWindow(Protocol):
    """A window that other processes use too."""

    def exchange(self, scope: str, request: Request, speed: float) -> Future[Granted]:
        """Report and ask. The future may be done already; it fails when the window cannot be reached.

        `speed` is that of the caller's clock, by which the window's clock is sped up too.
        """


def serve(window: RateWindow, request: Request, now: float) -> Granted:
    """Apply the report to the window and grant what is free. `now` is the window's clock."""
    window.expire(now, request.window)
    _apply(window, request, now)
    if now < window.blocked_until:
        return Granted(0, 0, 0.0, now, window)
    limit = window.limit_at(now, request.limit)
    free = window.free(limit)
    for_writes = max(0, min(request.for_writes, free, MAX_BLOCK))
    unreserved = free - headroom(limit) - for_writes
    permits = max(0, min(request.permits, unreserved, MAX_BLOCK - for_writes))
    if not permits + for_writes and window.may_ask(now, request.window):
        for_writes = min(1, request.for_writes)
        permits = min(1 - for_writes, request.permits)
    entry = window.take(permits + for_writes, now, request.window) if permits + for_writes else 0.0
    return Granted(permits, for_writes, entry, now, window)


def _apply(window: RateWindow, request: Request, now: float) -> None:
    report, ahead = request.report, now - request.now
    if report.forget:
        window.forget()
    for entry, unused in report.unused.items():
        window.give_back(entry, unused)
    for entry, (count, at) in report.answered.items():
        window.answer(entry, count, at + ahead, request.window)
    if report.without_permit:
        window.add(report.without_permit, now, request.window)
    if report.blocked is not None:
        at, until = report.blocked
        window.block(at + ahead, until + ahead, request.window)
    if report.shown is not None:
        window.observe(report.shown.shifted(ahead), now, request.window, request.limit)


class MemoryWindow:
    """The window of a process that shares it with nobody."""

    def __init__(self) -> None:
        self.state = RateWindow()

    def exchange(self, scope: str, request: Request, speed: float) -> Future[Granted]:
        """Report and ask; the future is done."""
        granted: Future[Granted] = Future()
        granted.set_result(serve(self.state, request, request.now))
        return granted
