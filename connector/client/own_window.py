"""A rate window that this process counts for itself. Pure: every method is told the time."""

from __future__ import annotations

from dataclasses import dataclass

from connector.client.permit_stock import Block
from connector.client.rate_window import LIMIT, WINDOW, RateWindow, Shown, headroom


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


@dataclass(frozen=True, slots=True)
class RateSnapshot:
    """The state of the rate window at one moment."""

    limit: int
    used: int
    remaining: int
    resets_in: float


class OwnWindow:
    """The window of a process that shares it with nobody."""

    def __init__(self, limit: int = LIMIT, window: float = WINDOW) -> None:
        self.limit = limit
        self.window = window
        self.state = RateWindow()

    def wait(self, permit: Permit, ahead: int, now: float) -> float:
        """Return the seconds until a permit is free, `ahead` others being served first."""
        self.state.expire(now, self.window)
        if self.state.blocked_until > now:
            return self.state.blocked_until - now
        return wait_in(self.state, self.state.limit_at(now, self.limit), permit, ahead, now, self.window)

    def take(self, permit: Permit, now: float) -> None:
        """Count a permit that `wait` has found free."""
        permit.entry = self.state.take(1, now, self.window)

    def release(self, permit: Permit, now: float, *, counted: bool) -> None:
        """Count a permit until a window after its answer, or not at all."""
        assert permit.entry is not None
        if counted:
            self.state.answer(permit.entry, 1, now, self.window)
        else:
            self.state.give_back(permit.entry, 1)

    def observe(self, shown: Shown, now: float) -> None:
        """Follow the headers of an answer."""
        self.state.expire(now, self.window)
        self.state.observe(shown, now, self.window, self.limit)

    def block(self, now: float, until: float) -> None:
        """Hand out nothing until then."""
        self.state.block(now, until, self.window)

    def forget(self) -> None:
        """Begin anew."""
        self.state.forget()

    def snapshot(self, now: float) -> RateSnapshot:
        """Return the state of the window."""
        return snapshot_of(self.state, self.limit, now, self.window)


def wait_in(state: RateWindow, limit: int, permit: Permit, ahead: int, now: float, window: float) -> float:
    """Return the seconds until a window has a permit for this request and `ahead` others."""
    reserved = 0 if permit.writes else headroom(limit)
    lacking = ahead + 1 - (state.free(limit) - reserved)
    if lacking <= 0 or (ahead == 0 and state.may_ask(now, window)):
        return 0.0
    return state.wait(lacking, now, window)


def snapshot_of(state: RateWindow, default: int, now: float, window: float) -> RateSnapshot:
    """Return the state of a window for display."""
    state.expire(now, window)
    limit = state.limit_at(now, default)
    remaining = max(0, state.free(limit))
    resets_in = state.entries[0].until - now if state.entries else 0.0
    if state.foreign:
        resets_in = state.foreign_until - now
    if state.blocked_until > now:
        remaining, resets_in = 0, state.blocked_until - now
    return RateSnapshot(limit, state.used(), remaining, resets_in)
