"""A host asks now and then how the banks stand, at no cost, and what ended without an event is found all the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from connector.durable.banks import old_balances
from connector.durable.upkeep.attention import AttentionItem, attention_items
from connector.durable.upkeep.bank_checks import FRESH, MAX_BANKS, BankStateWork, ask_soon, check_banks, seen_lately
from connector.durable.work import run_due
from connector.sandbox.banking.demo import ENDING_SOON, EXPIRED, EXPIRED_ACCOUNT, HOUSE_BANK
from connector.store.triggers import bank_connections, due_work
from connector.store.trust import credentials
from tests.durable.inbox.hub_host import HubHost


def items(hub_host: HubHost) -> dict[str, AttentionItem]:
    def read(connection: Any) -> list[AttentionItem]:
        home = credentials.workspace_of(connection, hub_host.credential_id)
        return attention_items(connection, hub_host.connector, home, hub_host.clock.utcnow())

    return {item.subject: item for item in hub_host.database.read(read)}


def requests(hub_host: HubHost) -> list[str]:
    return [str(request["path"]) for request in hub_host.sandbox.requests()]


async def check(hub_host: HubHost) -> int:
    """Let the host ask, as when somebody opens the start page."""
    now = hub_host.clock.utcnow()
    hub_host.write(lambda connection: ask_soon(connection, hub_host.credential_id, now))
    return await run_due(BankStateWork(hub_host.context))


def know(hub_host: HubHost, *ids: str) -> None:
    now = hub_host.clock.utcnow()
    for id in ids:
        hub_host.write(lambda c, id=id: bank_connections.save(c, hub_host.credential_id, id, {}, now))


async def test_a_consent_that_ends_soon_is_found_among_the_banks_that_payments_name(hub_host: HubHost) -> None:
    assert items(hub_host) == {}
    assert await check(hub_host) >= 2
    by_subject = items(hub_host)
    assert by_subject[ENDING_SOON].kind == "consent_ending"
    assert HOUSE_BANK not in by_subject


async def test_a_consent_that_ended_ten_days_ago_is_found_and_its_money_is_old(hub_host: HubHost) -> None:
    know(hub_host, EXPIRED)
    await check(hub_host)
    assert items(hub_host)[EXPIRED].kind == "consent_over"
    assert EXPIRED_ACCOUNT not in items(hub_host), "the bank connection says it"
    old = hub_host.database.read(
        lambda c: old_balances(c, hub_host.connector, hub_host.credential_id, hub_host.clock.utcnow())
    )
    assert [(account.account, account.bank) for account in old] == [(EXPIRED_ACCOUNT, EXPIRED)]


async def test_an_account_whose_bank_connection_nobody_knows_shows_by_its_age_that_it_is_old(hub_host: HubHost) -> None:
    await check(hub_host)
    item = items(hub_host)[EXPIRED_ACCOUNT]
    assert (item.kind, item.area) == ("balance_old", "operate")
    assert item.message.en.startswith("Altes Konto: no new figures from the bank since ")


async def test_what_is_over_at_the_bank_is_over_here_after_the_next_check(hub_host: HubHost) -> None:
    know(hub_host, EXPIRED)
    await check(hub_host)
    since = items(hub_host)[EXPIRED].since
    await check(hub_host)
    assert items(hub_host)[EXPIRED].since == since
    hub_host.sandbox.order(f"/bank-connections/{EXPIRED}/reconnect")
    await check(hub_host)
    assert EXPIRED not in items(hub_host)


async def test_a_bank_connection_that_is_gone_is_no_trouble(hub_host: HubHost) -> None:
    know(hub_host, EXPIRED)
    await check(hub_host)
    hub_host.sandbox.order(f"/bank-connections/{EXPIRED}/destroy")
    await check(hub_host)
    assert EXPIRED not in items(hub_host)


async def test_a_check_costs_no_credit_and_is_made_again_only_after_its_interval(hub_host: HubHost) -> None:
    balance = hub_host.sandbox.balance()
    await check(hub_host)
    asked = len(requests(hub_host))
    assert 0 < asked <= 3 + 2 * MAX_BANKS
    assert hub_host.sandbox.balance() == balance
    assert await run_due(BankStateWork(hub_host.context)) == 0
    assert len(requests(hub_host)) == asked
    planned = hub_host.database.read(lambda c: due_work.planned(c, due_work.BANK_STATES, hub_host.credential_id))
    assert planned is not None
    assert planned - hub_host.clock.utcnow() > timedelta(hours=5)
    hub_host.clock.advance(6 * 3600)
    assert await run_due(BankStateWork(hub_host.context)) > 0


async def test_many_banks_are_asked_for_in_turns_that_leave_the_rate_window_to_others(hub_host: HubHost) -> None:
    know(hub_host, *(str(number) for number in range(6000, 6040)))
    assert await check_banks(hub_host.context, hub_host.credential_id) == MAX_BANKS
    assert len(requests(hub_host)) <= 3 + 2 * MAX_BANKS


async def test_who_opens_a_page_right_after_a_check_asks_nobody(hub_host: HubHost) -> None:
    def lately() -> bool:
        now = hub_host.clock.utcnow()
        return bool(hub_host.database.read(lambda c: seen_lately(c, hub_host.credential_id, now)))

    assert not lately()
    await check(hub_host)
    assert lately()
    hub_host.clock.advance(FRESH.total_seconds() + 1)
    assert not lately()
