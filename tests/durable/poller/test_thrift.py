from __future__ import annotations

from engine_stage import BANK, MAIN, OTHER, Stage, arrive

from connector.durable.poller.change_signals import nudge


async def test_the_first_poll_is_always_made(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    assert len(stage.paid()) == 1
    assert stage.found(one) == []
    assert stage.cursor(one).cursor is not None


async def test_without_a_sign_nothing_is_paid(stage: Stage) -> None:
    await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    for _ in range(10):
        stage.clock.advance(seconds=400)
        await stage.poll()
    assert len(stage.paid()) == 1


async def test_a_change_in_the_accounts_list_is_worth_a_credit(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    ids = arrive(stage.desk, 3)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(one) == stage.owed(one) == ids
    assert len(stage.paid()) == 2
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert len(stage.paid()) == 2


async def test_a_change_in_another_account_is_no_sign(stage: Stage) -> None:
    arrive(stage.desk, account_id=MAIN)  # 231 rows: a number that does not look like a page's end
    one = await stage.subscribe("new_transaction", account_id=MAIN)
    await stage.poll()
    arrive(stage.desk, account_id=OTHER)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert len(stage.paid()) == 1
    ids = arrive(stage.desk, account_id=MAIN)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(one) == ids
    assert len(stage.paid()) == 2


async def test_a_nudge_makes_the_poll_due_at_once(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    ids = arrive(stage.desk, 2)
    assert await stage.poll() == 0
    stage.clock.advance(seconds=1)
    stage.write(lambda c: nudge(c, stage.credential_id, BANK, stage.now()))
    await stage.poll()
    assert stage.found(one) == ids


async def test_nudges_that_the_accounts_list_does_not_confirm_cost_a_credit_now_and_then_only(stage: Stage) -> None:
    await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    for _ in range(60):  # an hour and a half of forged events
        stage.clock.advance(seconds=90)
        stage.write(lambda c: nudge(c, stage.credential_id, BANK, stage.now()))
        await stage.poll()
    assert len(stage.paid()) == 2


async def test_a_nudge_during_a_poll_is_not_slept_through(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    arrive(stage.desk)
    stage.clock.advance(seconds=400)
    nudged = []
    take = type(stage.context.bank_accounts).learn

    def learn_and_nudge(*args: object) -> None:
        take(*args)  # type: ignore[arg-type]
        if not nudged:
            stage.clock.advance(seconds=1)
            nudged.append(stage.now())
            stage.write(lambda c: nudge(c, stage.credential_id, BANK, stage.now()))

    stage.context.bank_accounts.learn = learn_and_nudge.__get__(stage.context.bank_accounts)  # type: ignore[method-assign]
    await stage.poll()
    assert nudged
    next_at = stage.cursor(one).next_at
    assert next_at is not None
    assert next_at <= stage.now()


async def test_the_staleness_bound_pays_when_signs_stay_away(stage: Stage) -> None:
    await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    for _ in range(13):
        stage.clock.advance(hours=1)
        await stage.poll()
    assert len(stage.paid()) == 2


async def test_where_signs_cannot_be_read_the_bound_is_shorter(stage: Stage) -> None:
    await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    for hour in range(7):
        stage.desk.order("/faults", kind="malformed", match={"path": "/v2/banking/accounts"}, times=None)
        stage.clock.advance(hours=1)
        await stage.poll()
        assert len(stage.paid()) == (2 if hour >= 5 else 1)


async def test_a_free_trigger_simply_runs_at_its_interval(stage: Stage) -> None:
    await stage.subscribe("new_payment")
    await stage.subscribe("new_bank_account")
    await stage.poll()
    before = len(stage.desk.record())
    stage.clock.advance(hours=1)
    assert await stage.poll() == 2
    assert len(stage.desk.record()) == before + 2
    assert stage.paid() == []


async def test_a_silent_bank_connection_is_reported(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    arrive(stage.desk)
    await stage.poll()
    for _ in range(40):
        stage.clock.advance(hours=1)
        await stage.poll()
    trouble = stage.cursor(one).trouble
    assert trouble is not None
    assert "nothing new" in trouble["message"]
