"""Says that the rate window holds requests back, and until when."""

from __future__ import annotations

from datetime import timedelta

from connector.interfaces.console.page_frame import Page


async def rate_wait(page: Page) -> str:
    """Return the sentence about a wait for the rate window; empty when requests may leave."""
    session = await page.console.session("viewer")
    window = session.state.governor.snapshot(session.clock.monotonic())
    if window.remaining > 0 or window.resets_in <= 0:
        return ""
    until = session.clock.utcnow() + timedelta(seconds=window.resets_in)
    return page.localize("wait_rate", until=page.localize.clock_time(until))
