"""What happened to a subscription, line by line, the newest first: its deliveries merged with its timeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from connector.core.data import localize
from connector.core.messages import Text, say
from connector.core.values.dates import instant
from connector.durable.subscriptions import delivery_failure, trouble_text
from connector.interfaces.console.frame.widgets import TextWidget, box, empty_note
from connector.interfaces.console.localizer import Localizer
from connector.store.triggers.deliveries import Delivery
from connector.store.triggers.timeline import Happening

MAX_LINES = 60
DELIVERY_LINES = {"done": "timeline_delivered", "waiting": "timeline_waiting", "dead": "timeline_dead"}
TONES = {"done": "good", "dead": "bad"}
BAD = frozenset({"rate.used_up", "rate.refused", "alert.begun", "poll.failed", "delivery.failed", "delivery.given_up"})
GOOD = frozenset({"rate.free", "alert.over", "poll.found", "poll.recovered", "delivery.recovered"})


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened."""

    at: datetime
    text: Text
    tone: str = ""
    """`good`, `bad` or empty."""


def merged(
    happenings: Sequence[Happening], deliveries: Sequence[Delivery], name_of: Callable[[Delivery], str]
) -> list[Line]:
    """Return the lines, the newest first; `name_of` says what a delivery is about."""
    lines = [happening_line(one) for one in happenings] + [delivery_line(one, name_of(one)) for one in deliveries]
    return sorted(lines, key=lambda line: line.at, reverse=True)[:MAX_LINES]


def delivery_line(one: Delivery, name: str) -> Line:
    """Return the line of a delivery, at the time when it arrived, else when it was made."""
    words = say(DELIVERY_LINES.get(one.state, "timeline_dropped"), item=name)
    return Line(one.done_at or one.made_at, words, TONES.get(one.state, ""))


def happening_line(one: Happening) -> Line:
    """Return the line of an entry of the timeline."""
    tone = "bad" if one.what in BAD else "good" if one.what in GOOD else ""
    words = _words(one.what, one.details)
    by = one.details.get("by")
    return Line(one.at, say("timeline_by", what=words, by=by) if by else words, tone)


def _words(what: str, details: dict[str, Any]) -> Text:
    if what == "poll.found":
        count = int(details.get("count", 0))
        return say("timeline_poll_found_one") if count == 1 else say("timeline_poll_found_many", count=count)
    values: dict[str, Any] = {"target_host": details.get("target_host", "")}
    if what == "alert.begun":
        return trouble_text({"text": details.get("message")})
    if what == "alert.over":
        return say("timeline_alert_over", kind=say(f"condition_{details.get('kind')}"))
    if what.startswith("rate."):
        until = details.get("until")
        values["until"] = localize.in_both(localize.date_time, instant(str(until))) if until else ""
    elif what == "poll.failed":
        values["why"] = trouble_text(details)
    elif what in BAD:
        values["why"] = delivery_failure(details.get("status"), str(details.get("error", "")))
    if what == "subscription.tested" and not details.get("accepted"):
        what = "subscription.test_refused"
    return say(f"timeline_{what.replace('.', '_')}", **values)


class TimelineView:
    """Builds itself into the current panel."""

    def __init__(self, localize: Localizer) -> None:
        self._localize = localize
        self._shown: list[Line] | None = None
        self._list = box("timeline", "ol").props('role="list"')

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines, the first at the top."""
        if list(lines) == self._shown:
            return
        self._shown = list(lines)
        self._list.clear()
        with self._list:
            if not lines:
                with box("", "li"):
                    empty_note(self._localize("timeline_none"))
            for line in lines:
                with box(f"timeline-line {line.tone}", "li"):
                    TextWidget("time", self._localize.date_time(line.at))
                    TextWidget("span", self._localize.of(line.text), "wrap")
