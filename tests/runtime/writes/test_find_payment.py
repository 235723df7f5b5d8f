"""Finding a payment costs what is new, not what is old, and misses nothing that may have appeared meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from connector import Connector, Credential
from connector.core.errors import KontorError, RateLimited
from connector.core.service.wire import Wire
from connector.store.runs import alerts
from tests.runtime.writes.test_writes import account_of, payment, payments_sent

PAYMENTS_LIST = "/v2/banking/payments"


@pytest.fixture
def credential(sandbox) -> Credential:
    sandbox.order("/credits", balance=1_000_000)
    return Credential(sandbox.url, "sandbox-key")


@pytest.fixture
def open_session(credential, tmp_path):
    """Opens sessions on a store by its name, without a limit of their own."""
    opened = []

    def open_on(name: str = "store", using: Credential = credential, limit: int = 1_000_000):
        connector = Connector(str(tmp_path / name))
        session = connector.open(using).__enter__()
        session.state.governor.limit = limit
        opened.append((connector, session))
        return session

    yield open_on
    for connector, session in opened:
        session.close()
        connector.close()


@pytest.fixture
def unlimited(sandbox):
    sandbox.order("/limits", limit=1_000_000)


def history(sandbox, count: int, *, days: float = 1000.0, until_days_ago: float = 2.0, marks=None) -> list[str]:
    """Replace all payments by old ones, evenly spread over days; return their ids."""
    payments = sandbox.world.banking.payments
    like = next(iter(payments.values()))
    newest = datetime.now(UTC) - timedelta(days=until_days_ago)
    payments.clear()
    ids = [str(1_000_000 + number) for number in range(count)]
    for number, id in enumerate(ids):
        made = newest - timedelta(days=days) * (1 - (number + 1) / count)
        payments[id] = structs.replace(like, id=id, created_at=made, updated_at=made, custom_fields=marks)
    return ids


def requests(sandbox, before: int) -> list[str]:
    return [row["method"] for row in sandbox.requests()[before:] if row["path"].startswith(PAYMENTS_LIST)]


class _Session:
    """A session with the account that it pays from."""

    def __init__(self, session) -> None:
        self._session = session
        self.account = account_of(session)

    def pay(self, number: int, key: str, **more):
        return self._session.invoke("initiate_payment", payment(self.account, number), key=key, **more)

    def __getattr__(self, name: str):
        return getattr(self._session, name)


@pytest.mark.parametrize("page_size", [None, 100])
@pytest.mark.parametrize("count", [1_000, 20_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_the_second_payment_costs_two_requests_more_however_many_lie_behind(
    sandbox, unlimited, open_session, count, page_size
):
    history(sandbox, count, days=2_000)  # at whatever hour: what is read again fits into two pages
    sandbox.order("/settings", payments_page_size=page_size)
    session = _Session(open_session())
    session.pay(1, "lauf-1")
    for number in (2, 3):
        before = len(sandbox.requests())
        session.pay(number, f"lauf-{number}")
        assert requests(sandbox, before) == ["GET", "GET", "POST"]


def test_a_key_from_long_ago_is_found_in_the_store_with_one_request_more(sandbox, unlimited, open_session):
    made = _Session(open_session()).pay(1, "lauf-1").output["id"]
    payments = sandbox.world.banking.payments
    marked = payments[made]
    old = history(sandbox, 500, days=30)[100]
    payments[old] = structs.replace(marked, id=old, created_at=payments[old].created_at)
    session = _Session(open_session("another"))
    session.pay(2, "lauf-2")  # reads the list back, and keeps the marks of what is old
    before = len(sandbox.requests())
    found = session.pay(1, "lauf-1")
    assert (found.replayed, found.output["id"]) == (True, old)
    assert requests(sandbox, before) == ["GET", "GET", "GET"]
    assert [row["path"] for row in sandbox.requests()[before:]][-1].endswith(old)


def test_a_new_store_that_cannot_read_all_in_a_window_says_until_when_and_goes_on_there(sandbox, open_session):
    ids = history(sandbox, 2_000, days=30)
    sandbox.order("/settings", payments_page_size=20)
    sandbox.order("/limits", limit=60, window=900)
    sandbox.order("/clock", speed=1)
    session = _Session(open_session(limit=60))
    with pytest.raises(RateLimited) as caught:
        session.pay(1, "lauf-1")
    assert caught.value.outcome == "not_sent"
    assert caught.value.retry_at is not None
    read = len(requests(sandbox, 0))
    assert 20 < read < 60, "the window must stay usable"
    sandbox.order("/limits", limit=1_000_000)
    session.state.governor.forget()
    session.state.governor.limit = 1_000_000
    before = len(sandbox.requests())
    assert not session.pay(1, "lauf-1").replayed
    a_day = len(ids) / 30 / 20
    overlap = 2.5 * a_day  # 24 hours, and up to 36 more by the hour: the list is filtered by days, in whatever zone
    assert len(requests(sandbox, before)) < len(ids) / 20 - read + overlap + 6
    assert payments_sent(sandbox) == 1


def test_a_row_that_appears_below_a_higher_id_within_a_day_is_found(sandbox, unlimited, open_session):
    session = _Session(open_session())
    first = session.pay(1, "lauf-1").output["id"]
    payments = sandbox.world.banking.payments
    hidden = payments.pop(first)
    session.pay(2, "lauf-2")
    ordered = dict(sorted({**payments, first: hidden}.items(), key=lambda item: int(item[0])))
    payments.clear()
    payments.update(ordered)
    fresh = _Session(open_session("fresh"))
    fresh.pay(3, "lauf-3")
    again = fresh.pay(1, "lauf-1")
    assert (again.replayed, again.output["id"]) == (True, first)


def test_a_senseless_day_far_ahead_hides_nothing_that_follows(sandbox, unlimited, open_session):
    ids = history(sandbox, 50, days=10)
    payments = sandbox.world.banking.payments
    payments[ids[-1]] = structs.replace(payments[ids[-1]], created_at=datetime.now(UTC) + timedelta(days=400))
    session = _Session(open_session())
    made = session.pay(1, "lauf-1").output["id"]
    session.pay(2, "lauf-2")
    forgetful = _Session(open_session("fresh"))
    forgetful.pay(3, "lauf-3")
    assert forgetful.pay(1, "lauf-1").output["id"] == made


def test_a_service_that_does_not_know_the_filter_is_read_from_the_last_id(sandbox, unlimited, open_session, credential):
    history(sandbox, 3_000)
    sandbox.order("/settings", payments_page_size=100)
    strange = Credential(sandbox.url, "sandbox-key", wire=Wire.with_overrides({"payments": {"created_from": "seit"}}))
    session = _Session(open_session(using=strange))
    session.pay(1, "lauf-1")
    # A day later the place up to which all was read lies behind the first payment.
    payments = sandbox.world.banking.payments
    for id, one in list(payments.items()):
        payments[id] = structs.replace(one, created_at=one.created_at - timedelta(days=2))
    session.pay(2, "lauf-2")
    session.pay(3, "lauf-3")
    before = len(sandbox.requests())
    session.pay(4, "lauf-4")
    assert len(requests(sandbox, before)) <= 4


def test_two_payments_under_one_mark_raise_an_alarm(sandbox, unlimited, open_session):
    session = open_session()
    mine = _Session(session)
    first = mine.pay(1, "lauf-1").output["id"]
    payments = sandbox.world.banking.payments
    twin = str(int(first) + 1)
    payments[twin] = structs.replace(payments[first], id=twin)
    forgetful = open_session("fresh")
    found = _Session(forgetful).pay(1, "lauf-1")
    assert found.replayed
    read = forgetful._shared.database.read
    run = forgetful.find_run("lauf-1")
    [alarm] = read(lambda c: alerts.alarms(c, run.workspace, run.made_at - timedelta(minutes=1)))
    assert (alarm.kind, alarm.subject, sorted(alarm.details["found"])) == (
        "paid_twice",
        "lauf-1",
        sorted([first, twin]),
    )


def test_a_list_without_times_is_read_whole_each_time(sandbox, unlimited, open_session, monkeypatch):
    from connector.runtime.writes import find_payment

    read = find_payment.items_in
    monkeypatch.setattr(
        find_payment,
        "items_in",
        lambda reply: [{name: row[name] for name in row if name != "created_at"} for row in read(reply)],
    )
    history(sandbox, 250, days=10)
    sandbox.order("/settings", payments_page_size=100)
    session = _Session(open_session())
    session.pay(1, "lauf-1")  # from then on the payee is known
    for number in (2, 3):
        before = len(sandbox.requests())
        session.pay(number, f"lauf-{number}")
        assert requests(sandbox, before).count("GET") == 3


def test_a_look_that_failed_lets_nothing_be_sent_and_is_no_refusal(sandbox, unlimited, open_session):
    session = _Session(open_session())
    sandbox.order("/faults", kind="error_500", times=None, match={"method": "GET", "path": PAYMENTS_LIST})
    with pytest.raises(KontorError) as caught:
        session.pay(1, "lauf-1")
    assert caught.value.outcome == "not_sent"
    sandbox.heal()
    assert not session.pay(1, "lauf-1").replayed


def test_days_that_are_no_number_are_refused_before_anything_is_sent(sandbox, unlimited, open_session, monkeypatch):
    monkeypatch.setenv("KONTOR_READ_BACK_DAYS", "viele")
    with pytest.raises(KontorError) as caught:
        _Session(open_session()).pay(1, "lauf-1")
    assert (caught.value.field, caught.value.outcome) == ("KONTOR_READ_BACK_DAYS", "not_sent")
    assert payments_sent(sandbox) == 0
