"""Looks how a payment stands, at no credit and ever more rarely, as long as a page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from connector.core.errors import KontorError
from connector.core.payment_states import payment_states
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.console.page_calls import PageCalls
from connector.interfaces.console.run_details import PAYMENT_ROLE

PAUSES = (2.0, 2.0, 3.0, 4.0, 5.0, 8.0, 12.0, 20.0, 30.0)
"""Seconds between looks; the last one is repeated. Together they leave the rate window to others."""
MAX_LOOKS = 30
"""Looks of one opening, about eleven minutes; later, and for a viewer, what events and polls tell is shown."""


class PaymentWatch:
    """The looks of one page at one payment."""

    def __init__(self, console: ConsoleContext, payment_id: str) -> None:
        self._console, self._id = console, payment_id
        self._calls = PageCalls(console, MAX_LOOKS)
        self._looks, self._next_at = 0, 0.0
        self.status: str | None = None
        self.changed_at: datetime | None = None

    def is_due(self, now: float) -> bool:
        """Whether to look again, by the monotonic clock."""
        return now >= self._next_at and self.status not in payment_states().final

    def hear(self, status: str | None, now: datetime) -> None:
        """Take note of a status, unless it is older than the known one."""
        if status and payment_states().moves_forward(self.status, status):
            self.status, self.changed_at = status, now

    async def look(self, now: float) -> None:
        """Ask the service; a failure is no news."""
        pause = PAUSES[min(self._looks, len(PAUSES) - 1)]
        self._looks, self._next_at = self._looks + 1, now + pause
        action = self._console.connector.action_for(PAYMENT_ROLE)
        if action.cost.credits:
            return
        try:
            found = await self._calls.output(action.id, {"id": self._id})
        except (KontorError, NoCredential):
            return
        status = found.get("status") if isinstance(found, Mapping) else None
        self.hear(str(status) if status else None, self._console.state.context.now())
