"""Warnings: given once, not lost when they already hold at the start, and given again after a recovery."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from bank_feed import NOW, handler, ids

from connector.core.polls.alarm import MAX_GIVEN, Given


class Watch:
    """Polls one trigger that looks at a single thing."""

    def __init__(self, area: str, trigger: str, start: str = "now", **inputs: Any) -> None:
        self._turn = handler(area, trigger).turn
        self.start, self.inputs = start, inputs
        self.cursor: str | None = None
        self.now = NOW

    def look(self, **shown: Any) -> list[dict[str, Any]]:
        items, self.cursor = self._turn([shown], self.cursor, self.inputs, self.now, self.start)
        fired: list[dict[str, Any]] = items
        return fired


def consent(start: str = "all", days: int = 7) -> Watch:
    return Watch("banking", "consent_expires_soon", start, connection_id="7100", days=days)


def attention(start: str = "all") -> Watch:
    return Watch("banking", "bank_connection_needs_attention", start, connection_id="7100")


def credits(start: str = "all") -> Watch:
    return Watch("any", "credits_low", start, threshold=Decimal(100))


def test_a_consent_is_warned_of_once_when_its_end_comes_near() -> None:
    watch = consent()
    shown = {"id": "7100", "consent_expires_at": "2026-05-20T09:12:00+00:00"}
    assert watch.look(**shown) == []
    watch.now = NOW + timedelta(days=9)
    [item] = watch.look(**shown)
    assert (item["_id"], item["_days_left"]) == ("7100:2026-05-20", 7)
    watch.now = NOW + timedelta(days=15)
    assert watch.look(**shown) == []


def test_a_renewed_consent_is_watched_anew() -> None:
    watch = consent()
    assert ids(watch.look(id="7100", consent_expires_at="2026-05-06T00:00:00Z")) == ["7100:2026-05-06"]
    assert watch.look(id="7100", consent_expires_at="2026-06-15T00:00:00Z") == []
    watch.now = NOW + timedelta(days=40)
    assert ids(watch.look(id="7100", consent_expires_at="2026-06-15T00:00:00Z")) == ["7100:2026-06-15"]


def test_a_consent_that_has_already_ended_is_warned_of() -> None:
    assert consent().look(id="7100", consent_expires_at="2026-05-01T00:00:00Z")[0]["_days_left"] == -3


def test_a_consent_already_ending_at_a_start_now_is_told_at_the_second_look() -> None:
    watch = consent("now")
    shown = {"id": "7100", "consent_expires_at": "2026-05-06T00:00:00Z"}
    assert watch.look(**shown) == []
    assert ids(watch.look(**shown)) == ["7100:2026-05-06"]


@pytest.mark.parametrize("odd", [None, "", "soon", 5, []])
def test_a_consent_without_a_readable_end_changes_nothing(odd: Any) -> None:
    watch = consent()
    watch.look(id="7100", consent_expires_at="2026-05-06T00:00:00Z")
    before = watch.cursor
    assert watch.look(id="7100", consent_expires_at=odd) == []
    assert watch.cursor == before


def test_trouble_is_told_once_per_kind_until_the_bank_connection_recovers() -> None:
    watch = attention()
    assert watch.look(id="7100", status="active", error_class=None) == []
    assert ids(watch.look(id="7100", status="inactive", error_class="ProviderError")) == [
        "7100:1:inactive:ProviderError"
    ]
    assert watch.look(id="7100", status="inactive", error_class="ProviderError") == []
    assert ids(watch.look(id="7100", status="disabled", error_class=None)) == ["7100:1:disabled:"]
    assert watch.look(id="7100", status="inactive", error_class="ProviderError") == []


def test_a_relapse_is_told_under_another_id() -> None:
    watch = attention()
    first = ids(watch.look(id="7100", status="inactive"))
    assert watch.look(id="7100", status="active") == []
    second = ids(watch.look(id="7100", status="inactive"))
    assert first != second
    assert len(second) == 1


def test_a_reconnect_under_way_is_no_recovery() -> None:
    watch = attention()
    watch.look(id="7100", status="inactive")
    assert watch.look(id="7100", status="pending") == []
    assert watch.look(id="7100", status="inactive") == []


def test_an_error_of_an_active_bank_connection_is_trouble() -> None:
    assert len(attention().look(id="7100", status="active", error_class="ProviderError")) == 1


def test_trouble_already_there_at_a_start_now_is_told_at_the_second_look() -> None:
    watch = attention("now")
    assert watch.look(id="7100", status="inactive") == []
    assert len(watch.look(id="7100", status="inactive")) == 1


def test_an_odd_bank_connection_changes_nothing() -> None:
    watch = attention()
    assert watch.look() == []
    assert watch.look(status=["inactive"], error_class=None) == []


def test_low_credits_are_told_once_and_again_after_they_were_enough() -> None:
    watch = credits()
    assert watch.look(balance=Decimal(150), available=Decimal(150)) == []
    assert ids(watch.look(balance=Decimal(99), available=Decimal(99))) == ["credits_low:1"]
    assert watch.look(balance=Decimal(50), available=Decimal(50)) == []
    assert watch.look(balance=Decimal(100), available=Decimal(100)) == []
    assert ids(watch.look(balance=Decimal(99), available=Decimal(99))) == ["credits_low:2"]


def test_reserved_credits_count_as_spent() -> None:
    assert len(credits().look(balance=Decimal(101), available=Decimal(98))) == 1


def test_an_unknown_balance_neither_fires_nor_recovers() -> None:
    watch = credits()
    watch.look(balance=Decimal(50), available=None)
    assert watch.look(balance=None, available=None) == []
    assert watch.look(balance=Decimal(50), available=None) == []


def test_credits_already_low_at_a_start_now_are_told_at_the_second_look() -> None:
    watch = credits("now")
    assert watch.look(balance=Decimal(5)) == []
    assert len(watch.look(balance=Decimal(5))) == 1


def test_an_alarm_reads_back_as_it_was_written_and_is_bounded() -> None:
    given = Given(3, ("inactive:Provider,Error~!", "disabled:"))
    assert Given.read(str(given)) == given
    for number in range(2 * MAX_GIVEN):
        given = given.with_key(str(number)) if given.has_room_for(str(number)) else given
    assert len(given.keys) == MAX_GIVEN
    with pytest.raises(ValueError, match="not a cursor"):
        Given.read("all is well")
