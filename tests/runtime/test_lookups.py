"""Dropdowns: open at once, cost nothing, tell what is wrong."""

from __future__ import annotations

import asyncio
import threading
import time
from decimal import Decimal

import pytest

from connector import Connector, Credential
from connector.client import key_states
from connector.core.errors import InputError, KontorError, ReconnectNeeded
from connector.operations.money import surprise_text, titles_by_label
from connector.runtime.lookups import LOOKUP_LABEL, LookupCache
from connector.runtime.result import Option, Options
from connector.store.rates import usage
from tests.support.filled_in import NORDLICHT, all_inputs

LEDGER = {"ledger_connection": NORDLICHT}
CONNECTOR = Connector("unused")


@pytest.fixture
def connector(sandbox, tmp_path):
    connector = Connector(str(tmp_path))
    yield connector
    connector.close()


@pytest.fixture
def session(connector, sandbox):
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session


@pytest.mark.conforms("endpoints.dropdown_use", "invoice_folders.endpoint", "costs.dropdowns")
@pytest.mark.parametrize("id", sorted(CONNECTOR.lookups))
def test_every_lookup_gives_options_is_searchable_and_costs_nothing(id, session, sandbox):
    inputs = all_inputs(CONNECTOR.lookup(id), session)
    before, seen = sandbox.balance(), len(sandbox.requests())
    options = session.options(id, inputs)
    assert options.options
    assert all(isinstance(option.value, str) and option.value and option.label for option in options)
    assert sandbox.balance() == before
    for row in sandbox.requests()[seen:]:
        assert row["credits_charged"] == 0
    first = options.options[0]
    assert first in session.options(id, inputs, search=first.label.upper()).options
    assert len(session.options(id, inputs, search="zzz-nothing")) == 0
    assert session.options(id, inputs).cached


def test_a_dropdown_opened_a_thousand_times_costs_one_request(session, sandbox):
    before = len(sandbox.requests())
    for _ in range(1000):
        session.options("cash_books", LEDGER)
    assert len(sandbox.requests()) == before + 1


async def test_a_thousand_forms_opening_at_once_cost_one_request(connector, sandbox):
    sandbox.order("/faults", kind="slow", times=1, seconds=0.3)
    before = len(sandbox.requests())
    async with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        lists = await asyncio.gather(*(session.options("cash_books", LEDGER) for _ in range(1000)))
    assert len({tuple(options) for options in lists}) == 1
    assert len(sandbox.requests()) == before + 1


def test_threads_and_event_loops_share_one_request(connector, sandbox):
    sandbox.order("/faults", kind="slow", times=1, seconds=0.4)
    credential = Credential(sandbox.url, "sandbox-key")
    before, found = len(sandbox.requests()), []

    def blocking() -> None:
        with connector.open(credential) as session:
            found.append(tuple(session.options("cash_books", LEDGER)))

    async def asynchronous() -> None:
        async with connector.open(credential) as session:
            found.append(tuple(await session.options("cash_books", LEDGER)))

    threads = [threading.Thread(target=blocking) for _ in range(3)]
    threads += [threading.Thread(target=lambda: asyncio.run(asynchronous())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1
    assert len(sandbox.requests()) == before + 1


async def test_a_form_that_is_closed_does_not_take_the_others_options_away(connector, sandbox):
    sandbox.order("/faults", kind="slow", times=1, seconds=0.5)
    async with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        first = asyncio.create_task(session.options("cash_books", LEDGER))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(session.options("cash_books", LEDGER))
        await asyncio.sleep(0.05)
        first.cancel()
        assert len(await second) == 2


def test_credentials_do_not_share_options(connector, sandbox):
    with connector.open(Credential(sandbox.url, "sandbox-key")) as everything:
        all_accounts = everything.options("bank_accounts")
    with connector.open(Credential(sandbox.url, "sandbox-agency-key")) as agency:
        assert len(agency.options("bank_accounts")) < len(all_accounts)


def test_a_write_of_ours_makes_the_options_it_changes_old(session, sandbox):
    payments = session.options("payments")
    account = session.options("bank_accounts", {"payments_only": True}).options[0].value
    inputs = {
        "account_id": account,
        "creditor_name": "Neu & Frisch",
        "creditor_iban": "DE02120300000000202051",
        "amount": "1.00",
    }
    made = session.invoke("initiate_payment", inputs).output["id"]
    assert made not in {option.value for option in payments}
    assert made in {option.value for option in session.options("payments")}


def test_an_error_is_shown_with_its_cause_and_remedy_and_not_remembered(session, sandbox):
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": "ledger_connection_invalid"})
    with pytest.raises(ReconnectNeeded) as caught:
        session.options("cash_books", LEDGER)
    assert caught.value.reconnect_url
    assert caught.value.remedy.de
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": None})
    assert len(session.options("cash_books", LEDGER)) == 2


@pytest.mark.parametrize(
    "inputs", [{}, {"ledger_connection": "nonsense"}, {**LEDGER, "foo": 1}, {"ledger_connection": []}]
)
def test_wrong_dependencies_are_input_errors(session, inputs):
    with pytest.raises(InputError):
        session.options("cash_books", inputs)


def test_old_options_are_shown_at_once_and_refreshed_behind(connector, sandbox):
    now = [0.0]
    cache = LookupCache(now=lambda: now[0])
    credential = Credential(sandbox.url, "sandbox-key")
    with connector.open(credential) as session:
        session._procedures.cache = cache
        first = session.options("cash_books", LEDGER)
        now[0] = 10_000.0
        sandbox.order("/faults", kind="error_500", times=None)
        assert session.options("cash_books", LEDGER).options == first.options
        sandbox.heal()
        deadline = time.monotonic() + 10
        while cache.fresh("cash_books", LEDGER) is None and time.monotonic() < deadline:
            session.options("cash_books", LEDGER)
            time.sleep(0.05)
        assert cache.fresh("cash_books", LEDGER) is not None


def test_a_list_asked_for_before_our_own_write_is_not_kept():
    cache = LookupCache()
    key = ("payments", frozenset())
    _, _, mine = cache.begin(key)
    assert mine
    generation = cache.generation("payments")
    cache.invalidate(["payments"])
    cache.finish(key, Options((Option("1", "old"),)), 60, generation)
    assert cache.fresh("payments", {}) is None


def test_a_charged_lookup_is_reported(connector, tmp_path):
    from connector.sandbox.server import SandboxServer
    from connector.sandbox.traffic.wire import Wire as SandboxWire  # noqa: F401 - the sandbox reads its own wire file

    (tmp_path / "wire.yaml").write_text("lookup: {marker: {in: none}}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KONTOR_WIRE", str(tmp_path / "wire.yaml"))
        with SandboxServer() as server, connector.open(Credential(server.url, "sandbox-key")) as session:
            session.invoke("list_cash_books", LEDGER)
            session.options("cash_books", LEDGER)
            day = session.clock.berlin_today().isoformat()
            assert session.options("cash_books", LEDGER).cached, "what is shown from the cache costs nothing"
    connector.shared.usage.flush().result()
    [kept] = connector.database.read(lambda store: usage.charged(store, session.credential.fingerprint, LOOKUP_LABEL))
    assert kept == usage.Charged("cash_books", 1, Decimal(1), day)
    titles = titles_by_label(connector)
    assert surprise_text(kept, titles).de.startswith("Die Auswahlliste „Kassen“ sollte kostenlos sein. Berechnete")
    assert "1 Credit, zuletzt am " in surprise_text(kept, titles).de
    assert "Lists that were charged: 1, 1 credit in all" in surprise_text(kept, titles).en


def _charging(patch, tmp_path):
    """A service that knows no dropdowns."""
    (tmp_path / "wire.yaml").write_text("lookup: {marker: {in: none}}")
    patch.setenv("KONTOR_WIRE", str(tmp_path / "wire.yaml"))


def _as_another_process(credential):
    """Forget what this process knows of the key."""
    key_states._by_key.pop(credential.fingerprint)


def test_a_process_that_knew_no_balance_counts_a_charge_from_its_second_dropdown_on(tmp_path, monkeypatch):
    from connector.sandbox.server import SandboxServer

    _charging(monkeypatch, tmp_path)
    with SandboxServer() as server:
        credential, connector = Credential(server.url, "sandbox-key"), Connector(str(tmp_path / "data"))
        with connector.open(credential) as session:
            session.options("cash_books", LEDGER)
            session.options("invoice_folders", LEDGER)
            connector.shared.usage.flush().result()
        kept = connector.database.read(lambda store: usage.charged(store, credential.fingerprint, LOOKUP_LABEL))
        connector.close()
        _as_another_process(credential)
    assert [(one.label, one.calls, one.credits) for one in kept] == [("invoice_folders", 1, 1)]


def test_what_another_process_spent_just_now_is_laid_to_no_dropdown(connector, sandbox):
    credential = Credential(sandbox.url, "sandbox-key")
    with connector.open(credential) as other:
        other.invoke("list_cash_books", LEDGER)
        told = other.state.credits.balance + 1  # what it has spent is not stored yet
    _as_another_process(credential)
    now, key = other.clock.utcnow(), credential.fingerprint
    connector.shared.usage.flush().result()
    connector.database.write(lambda store: usage.save_balance(store, key, told, now)).result()
    with connector.open(credential) as session:
        session.options("cash_books", LEDGER)
        connector.shared.usage.flush().result()
    assert connector.database.read(lambda store: usage.charged(store, key, LOOKUP_LABEL)) == []
    assert connector.database.read(lambda store: usage.last_balance(store, key))[0] == told - 1


def test_a_free_lookup_is_not_counted(connector, sandbox):
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        session.invoke("list_cash_books", LEDGER)
        session.options("cash_books", LEDGER)
        connector.shared.usage.flush().result()
    credential = session.credential.fingerprint
    assert connector.database.read(lambda store: usage.charged(store, credential, LOOKUP_LABEL)) == []


def test_an_unknown_lookup_is_an_input_error_with_a_hint(session):
    with pytest.raises(KontorError) as caught:
        session.options("cashbooks")
    assert "cash_books" in caught.value.remedy.en


def test_a_long_list_comes_in_pages_newest_first_and_each_option_once(session, sandbox):
    whole = session.options("payments")
    assert whole.next is None
    values, after = [], None
    while True:
        page = session.options("payments", limit=3, after=after)
        assert len(page) <= 3
        values += [option.value for option in page]
        after = page.next
        if after is None:
            break
    assert values == [option.value for option in whole]
    assert len(values) > 3
    assert values == sorted(values, key=int, reverse=True)
    assert "next" not in whole.as_dict()
    assert session.options("payments", limit=1).as_dict()["next"] == values[0]
    word = whole.options[0].label.split()[0]
    found = session.options("payments", search=word)
    assert [one.value for one in session.options("payments", search=word, after=found.options[0].value)] == [
        one.value for one in found.options[1:]
    ]


@pytest.mark.parametrize(
    ("page", "field"),
    [({"limit": 0}, "limit"), ({"limit": "3"}, "limit"), ({"limit": True}, "limit"), ({"after": "x"}, "after")],
)
def test_a_page_that_cannot_be_meant_is_refused(session, page, field):
    with pytest.raises(InputError) as refused:
        session.options("currencies", **page)
    assert refused.value.field == field


def test_the_bank_connections_are_read_from_the_newest_payments_only(session, sandbox):
    session.options("bank_connections")
    assert sandbox.requests()[-1]["query"] == {"sort": "date", "limit": "500"}
