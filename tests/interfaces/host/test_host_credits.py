"""Credits over HTTP: what `kontor credits` tells, for the caller's own key."""

from __future__ import annotations

from connector.sandbox.ledger.demo import ledger_connection_id
from tests.interfaces.host.running_host import RunningHost

LEDGER = ledger_connection_id("nordlicht")


def test_balance_and_spending_are_told_without_asking_the_service(host: RunningHost) -> None:
    before = host.http.get("/v1/credits").json()
    assert (before["ok"], before["spent"], before["surprises"]) == (True, [], [])
    ran = host.run("list_cash_books", {"ledger_connection": LEDGER}).json()
    after = host.http.get("/v1/credits").json()
    assert after["balance"] == ran["credits"]["balance"]
    assert [(one["action"], one["calls"], one["credits"]) for one in after["spent"]] == [("list_cash_books", 1, 1)]
    assert set(after) == {"ok", "balance", "reserved", "told_at", "spent", "forecast", "budget", "surprises"}


def test_each_key_has_its_own(host: RunningHost) -> None:
    host.run("list_cash_books", {"ledger_connection": LEDGER})
    with host.caller(key="another-key") as stranger:
        assert stranger.get("/v1/credits").json()["spent"] == []
