"""How triggers fail in the field, one test per failure, named after it."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from connector.core.manifest.load import load
from connector.core.service_facts import payment_moves_forward as moves_forward
from tests.manifests.triggers.bank_feed import FIRST_UNSAFE, NOW, Feed, Poller, handler, ids, payment, row

turn = handler("banking", "new_transaction").turn


def test_ids_through_a_double() -> None:
    """Neighbours that a double cannot tell apart fire each under its own id, and the cursor keeps every digit."""
    feed = Feed(row(FIRST_UNSAFE - 1), row(FIRST_UNSAFE))
    poller = Poller("new_transaction", feed)
    assert ids(poller.poll()) == ["9007199254740992", "9007199254740993"]
    feed.add(row(FIRST_UNSAFE + 1))
    assert ids(poller.poll()) == ["9007199254740994"]
    assert json.loads(json.dumps(poller.cursor)) == "9007199254740994"


def test_ids_that_grow_by_a_digit_are_not_compared_as_text() -> None:
    assert ids(turn([row(99), row(100)], "99", {}, NOW, "now")[0]) == ["100"]


def test_date_as_cursor() -> None:
    """Back-dated rows fire as late arrivals; a future-dated one whose day moves does not fire twice."""
    feed = Feed(row(1), row(2, made_on="2026-06-01"))
    poller = Poller("new_transaction", feed)
    poller.poll()
    feed.add(row(2, made_on="2026-06-03"), row(3, made_on="2026-01-15"))
    [late] = poller.poll()
    assert (late["_id"], late["_late"]) == ("3", True)


def test_find_the_last_id_in_the_page() -> None:
    """The row that the cursor names is gone: nothing fires again."""
    assert turn([row(3), row(4), row(6)], "5", {}, NOW, "now")[0] == turn([row(6)], "5", {}, NOW, "now")[0]


def test_first_poll() -> None:
    """A year of history does not fire into a flow that starts now."""
    history = [row(number) for number in range(1, 2001)]
    feed = Feed(*history, page=100)
    poller = Poller("new_transaction", feed, start="now")
    assert poller.poll() == []
    feed.add(row(2001))
    assert ids(poller.poll()) == ["2001"]


def test_pending_then_posted() -> None:
    """The payment fires once, as posted; its change of status is another trigger's event."""
    feed = Feed(row(1, status="pending"))
    new, changed = Poller("new_transaction", feed), Poller("transaction_changed", feed)
    assert (new.poll(), changed.poll()) == ([], [])
    feed.add(row(1))
    assert (ids(new.poll()), ids(changed.poll())) == (["1"], ["1:posted:posted"])
    assert (new.poll(), changed.poll()) == ([], [])


def test_duplicated_flips_later() -> None:
    feed = Feed(row(1))
    new, changed = Poller("new_transaction", feed), Poller("transaction_changed", feed)
    assert (ids(new.poll()), changed.poll()) == (["1"], [])
    feed.add(row(1, duplicated=True))
    assert (new.poll(), ids(changed.poll())) == ([], ["1:duplicated:true"])


@pytest.mark.conforms("constants.sizes")
def test_page_end_unknown() -> None:
    """All pages are read although nothing says that there are more, with and without a row that is waited for."""
    for first in ("posted", "pending"):
        feed = Feed(row(1, status=first), *(row(number) for number in range(2, 251)), page=50)
        poller = Poller("new_transaction", feed)
        fired = ids(poller.poll())
        feed.add(row(1))
        fired += ids(poller.poll()) + ids(poller.poll())
        assert sorted(map(int, fired)) == list(range(1, 251))


def test_page_end_unknown_and_the_page_size_not_round() -> None:
    """A row that is waited for does not hold up what lies behind the page it stands on."""
    feed = Feed(row(1, status="pending"), *(row(number) for number in range(2, 80)), page=7)
    poller = Poller("new_transaction", feed)
    fired = [id for _ in range(60) for id in ids(poller.poll())]
    assert fired == [str(number) for number in range(2, 80)]


def test_429_half_way() -> None:
    """The cursor covers the page that was read and nothing more; reading on from it finds the rest."""
    feed = Feed(*(row(number) for number in range(1, 61)), page=20)
    poller = Poller("new_transaction", feed, most_pages=1)
    assert len(poller.poll()) == 20
    assert poller.cursor == "20"
    assert ids(poller.poll())[0] == "21"


def test_webhook_forged() -> None:
    """Every trigger on which money may hang asks the API before it fires."""
    triggers = load()["triggers"]
    confirmed = {id for id, tree in triggers.items() if tree.get("event", {}).get("confirm") == "payment"}
    assert confirmed == {"payment_update", "payment_settled", "payment_failed", "payment_needs_confirmation"}
    speak_of_payments = {
        id for id, tree in triggers.items() if any("payment" in one for one in tree.get("event", {}).get("names", []))
    }
    assert speak_of_payments == confirmed


def test_webhook_repeated_late_reordered() -> None:
    assert moves_forward("processing", "settled")
    assert not moves_forward("settled", "settled")
    assert not moves_forward("settled", "processing")


def test_webhook_lost() -> None:
    """The free payments list tells the settlement that no event announced."""
    feed = Feed(payment(5, "processing"))
    poller = Poller("payment_status_changed", feed, start="now")
    poller.poll()
    feed.add(payment(5, "settled"))
    assert ids(poller.poll()) == ["5:settled"]


def test_executed_read_as_paid() -> None:
    assert not handler("banking", "payment_settled").fires("payment_update", {"status": "executed"}, {})


def test_consent_ends_overnight() -> None:
    """The warning follows the bank's date, whether the consent lasts 30, 90 or 180 days."""
    watch = handler("banking", "consent_expires_soon").turn
    for days in (30, 90, 180):
        ends = NOW + timedelta(days=days)
        shown = [{"id": "7100", "consent_expires_at": ends.isoformat()}]
        assert watch(shown, "waiting", {"days": 7}, ends - timedelta(days=8), "now")[0] == []
        assert len(watch(shown, "waiting", {"days": 7}, ends - timedelta(days=7), "now")[0]) == 1
