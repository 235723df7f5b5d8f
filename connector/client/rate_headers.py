"""Reads the rate-limit headers of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from connector.client.rate_window import WINDOW, Shown


def shown_by(
    headers: Mapping[str, str], now: float, utcnow: datetime, *, sent_at: float, refused: bool, window: float
) -> Shown | None:
    """Return what the `RateLimit-*` headers report; None when there are none."""
    limit, remaining = _number(headers.get("ratelimit-limit")), _number(headers.get("ratelimit-remaining"))
    reset = headers.get("ratelimit-reset")
    resets_in = seconds_until(reset, utcnow, headers.get("date"), within=window) if reset else None
    if limit is None and (remaining is None or resets_in is None):
        return None
    return Shown(limit, remaining, None if resets_in is None else now + resets_in, sent_at, refused)


def is_limiter(headers: Mapping[str, str], utcnow: datetime) -> bool:
    """Whether the headers are the rate limiter's own: nothing remains, and the reset lies ahead."""
    reset = headers.get("ratelimit-reset")
    ahead = seconds_until(reset, utcnow, headers.get("date")) if reset else None
    return _number(headers.get("ratelimit-remaining")) == 0 and ahead is not None and ahead > 0


def requests_remain(headers: Mapping[str, str]) -> bool:
    """Whether the headers say that the window is not used up."""
    return (_number(headers.get("ratelimit-remaining")) or 0) > 0


def seconds_until(text: str, utcnow: datetime, date: str | None = None, within: float = WINDOW) -> float | None:
    """Return the seconds until a reset given in seconds, as a Unix time (seconds or milliseconds), or as a date.

    A timestamp is compared with the service's own `Date` header first, so that a wrong clock on either side does no
    harm, and with our clock when that gives an implausible result.
    """
    try:
        number = float(text)
    except ValueError:
        moment = _timestamp(text)
        if moment is None:
            return None
        number = moment.timestamp()
    if not 0 <= number < 1e15:
        return None
    if number < 1e8:
        return min(number, within)
    if number >= 1e11:
        number /= 1000
    server = _timestamp(date or "")
    distances = [number - now.timestamp() for now in (server, utcnow) if now]
    return next((d for d in distances if 0 <= d <= within), min(max(distances[-1], 0.0), within))


def _timestamp(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except ValueError:
            continue
        return moment if moment.tzinfo else None
    return None


def _number(text: str | None) -> int | None:
    """Return a whole number that is not negative."""
    try:
        return max(0, int(text)) if text is not None else None
    except ValueError:
        return None
