"""The permits that a process holds: blocks from a shared window, each valid for some seconds. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from connector.client.rate_window import VALIDITY
from connector.client.shared_window import MAX_BLOCK, Granted, Report


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
