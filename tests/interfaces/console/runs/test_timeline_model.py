"""The timeline of a subscription: deliveries and happenings in one order, in the reader's language."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from connector.interfaces.console.flows.timeline import MAX_LINES, happening_line, merged
from connector.store.triggers.deliveries import Delivery
from connector.store.triggers.timeline import Happening

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


def delivery(id: int, state: str, done_at: datetime | None = None) -> Delivery:
    return Delivery(id, "s", str(id), "{}", state, 1, None, 200, None, NOW, done_at)  # type: ignore[arg-type]


def test_the_newest_comes_first_and_a_delivery_stands_at_the_time_of_its_arrival() -> None:
    happenings = [Happening(NOW + timedelta(minutes=2), "subscription.paused", {"by": "Anke Petersen"})]
    found = [delivery(1, "done", NOW + timedelta(minutes=3)), delivery(2, "dead")]
    lines = merged(happenings, found, lambda one: f"No. {one.id}")
    assert [line.text.en for line in lines] == ["Delivered: No. 1", "Paused (Anke Petersen)", "Given up: No. 2"]
    assert [line.tone for line in lines] == ["good", "", "bad"]


def test_a_failed_poll_tells_its_reason_in_both_languages() -> None:
    text = {"en": "The key is refused.", "de": "Der Schlüssel wird abgelehnt."}
    line = happening_line(Happening(NOW, "poll.failed", {"text": text, "failures": 2}))
    assert line.tone == "bad"
    assert line.text.de == "Nachsehen fehlgeschlagen. Der Schlüssel wird abgelehnt."


def test_a_refused_test_event_is_not_told_as_accepted() -> None:
    assert "not accepted" in happening_line(Happening(NOW, "subscription.tested", {"accepted": False})).text.en
    assert "not accepted" not in happening_line(Happening(NOW, "subscription.tested", {"accepted": True})).text.en


def test_no_more_lines_are_shown_than_a_person_reads() -> None:
    many = [Happening(NOW, "poll.found", {"count": 2})] * 500
    assert len(merged(many, [], lambda one: "")) == MAX_LINES
