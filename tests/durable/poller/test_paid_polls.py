from __future__ import annotations

import pytest

from connector.core.data.price import PaidPolls
from connector.durable.poller.change_signals import nudge
from tests.durable.poller.engine_host import BANK, MAIN, OTHER, EngineHost, arrive


async def test_the_first_poll_is_always_made(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    assert len(engine_host.paid()) == 1
    assert engine_host.found(subscription) == []
    assert engine_host.cursor(subscription).cursor is not None


@pytest.mark.conforms("costs.transactions")
async def test_without_a_sign_nothing_is_paid(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    for _ in range(10):
        engine_host.clock.advance(seconds=400)
        await engine_host.poll()
    assert len(engine_host.paid()) == 1


async def test_a_change_in_the_accounts_list_is_worth_a_credit(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 3)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(subscription) == engine_host.enqueued(subscription) == ids
    assert len(engine_host.paid()) == 2
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert len(engine_host.paid()) == 2


async def test_a_change_in_another_account_is_no_sign(engine_host: EngineHost) -> None:
    arrive(engine_host.sandbox, account_id=MAIN)  # 231 rows: a number that does not look like a page's end
    subscription = await engine_host.subscribe("new_transaction", account_id=MAIN)
    await engine_host.poll()
    arrive(engine_host.sandbox, account_id=OTHER)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert len(engine_host.paid()) == 1
    ids = arrive(engine_host.sandbox, account_id=MAIN)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(subscription) == ids
    assert len(engine_host.paid()) == 2


async def test_a_nudge_makes_the_poll_due_at_once(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 2)
    assert await engine_host.poll() == 0
    engine_host.clock.advance(seconds=1)
    engine_host.write(lambda c: nudge(c, engine_host.credential_id, BANK, engine_host.now()))
    await engine_host.poll()
    assert engine_host.found(subscription) == ids


async def test_nudges_that_the_accounts_list_does_not_confirm_cost_a_credit_now_and_then_only(
    engine_host: EngineHost,
) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    for _ in range(60):  # an hour and a half of forged events
        engine_host.clock.advance(seconds=90)
        engine_host.write(lambda c: nudge(c, engine_host.credential_id, BANK, engine_host.now()))
        await engine_host.poll()
    assert len(engine_host.paid()) == 2


async def test_a_nudge_during_a_poll_is_not_slept_through(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    arrive(engine_host.sandbox)
    engine_host.clock.advance(seconds=400)
    looked = []
    take = type(engine_host.context.bank_accounts).learn

    def learn_and_nudge(*args: object) -> None:
        take(*args)  # type: ignore[arg-type]
        looked.append(engine_host.now())
        if len(looked) == 1:
            engine_host.clock.advance(seconds=1)
            engine_host.write(lambda c: nudge(c, engine_host.credential_id, BANK, engine_host.now()))

    engine_host.context.bank_accounts.learn = learn_and_nudge.__get__(engine_host.context.bank_accounts)  # type: ignore[method-assign]
    await engine_host.poll()
    assert len(looked) == 2, "it was due again as soon as the poll had ended"


async def test_the_staleness_bound_pays_when_signs_stay_away(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    for _ in range(13):
        engine_host.clock.advance(hours=1)
        await engine_host.poll()
    assert len(engine_host.paid()) == 2


async def test_where_signs_cannot_be_read_the_bound_is_shorter(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    for hour in range(7):
        engine_host.sandbox.order("/faults", kind="malformed", match={"path": "/v2/banking/accounts"}, times=None)
        engine_host.clock.advance(hours=1)
        await engine_host.poll()
        assert len(engine_host.paid()) == (2 if hour >= 5 else 1)


async def test_a_free_trigger_simply_runs_at_its_interval(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_payment")
    await engine_host.subscribe("new_bank_account")
    await engine_host.poll()
    before = len(engine_host.sandbox.requests())
    engine_host.clock.advance(hours=1)
    assert await engine_host.poll() == 2
    assert len(engine_host.sandbox.requests()) == before + 2
    assert engine_host.paid() == []


async def test_a_silent_bank_connection_is_reported(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    arrive(engine_host.sandbox)
    await engine_host.poll()
    for _ in range(40):
        engine_host.clock.advance(hours=1)
        await engine_host.poll()
    trouble = engine_host.cursor(subscription).trouble
    assert trouble is not None
    assert "nothing new" in trouble["message"]


async def test_a_new_time_of_change_alone_is_a_weak_sign(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    for minutes, paid in ((10, 1), (51, 2), (61, 2), (60, 3)):
        engine_host.clock.advance(seconds=60 * minutes)
        engine_host.touch_accounts()
        await engine_host.poll_all()
        assert len(engine_host.paid()) == paid, minutes
    ids = arrive(engine_host.sandbox)
    engine_host.clock.advance(seconds=60)
    await engine_host.poll_all()
    assert len(engine_host.paid()) == 4, "a row that is counted is a sign at once"
    assert ids


def test_paid_looks_never_exceed_the_ceiling_in_any_24_hours() -> None:
    for most in (1, 2, 5, 48):
        spent, looks, longest, last = None, list[float](), 0.0, 0.0
        for minute in range(5 * 1440):
            now = 60.0 * minute
            left = PaidPolls(most, spent, now)
            if left.may_poll:
                longest, last = max(longest, now - last), now
                spent = left.spend(1)
                looks.append(now)
            assert sum(now - then < 86_400 for then in looks) <= most
        assert longest <= 86_400 / (most / 2) + 60, "they are spread over the day"
    wrong = PaidPolls(48, [0.0, 10.0**9], 0.0)
    assert wrong.may_poll, "a clock that ran ahead stops nothing"
