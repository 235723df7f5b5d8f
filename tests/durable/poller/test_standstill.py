from __future__ import annotations

from datetime import timedelta

from connector.core.timing import BeatObserver
from connector.durable.kinds import STANDSTILL_SECONDS, StandstillWatch
from connector.durable.poller.run_poll import lease_name
from connector.store.database import leases
from connector.store.triggers import deliveries
from tests.durable.poller.engine_host import EngineHost


class Watcher:
    """Somebody who looks at a host's work now and then."""

    def __init__(self, host: EngineHost) -> None:
        self._host, self._watch, self._moment = host, StandstillWatch(), 0.0

    def stalled(self, after: float = 0.0) -> list[str]:
        self._moment += after
        kinds: list[str] = self._host.read(lambda c: self._watch.stalled(c, self._host.now(), self._moment))
        return kinds


async def test_work_that_is_overdue_and_that_nobody_takes_stands_still(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_payment")
    watcher = Watcher(engine_host)
    assert watcher.stalled() == []
    engine_host.clock.advance(hours=48)  # after a long rest everything is overdue, and that is all right
    assert watcher.stalled() == []
    assert watcher.stalled(after=STANDSTILL_SECONDS - 1) == []
    assert watcher.stalled(after=1) == ["polls"]
    await engine_host.poll()
    assert watcher.stalled() == []


async def test_work_in_progress_does_not_stand_still_however_long_it_takes(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_payment")
    name = lease_name(engine_host.cursor(subscription).name)
    lease = engine_host.write(lambda c: leases.acquire(c, name, "working", BeatObserver(), 0.0))
    engine_host.clock.advance(hours=1)
    watcher = Watcher(engine_host)
    for _ in range(5):
        assert watcher.stalled(after=STANDSTILL_SECONDS) == []
        engine_host.write(lambda c: leases.renew(c, lease))
    assert watcher.stalled(after=1) == []
    assert watcher.stalled(after=STANDSTILL_SECONDS) == ["polls"], (
        "the host that held it is dead, and nobody takes over"
    )


async def test_a_delivery_that_waits_for_its_next_attempt_does_not_stand_still(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("payment_settled")
    engine_host.write(lambda c: deliveries.enqueue(c, subscription.id, "1", "{}", engine_host.now()))
    [delivery] = engine_host.read(lambda c: deliveries.listed(c, None, subscription.id))
    later = engine_host.now() + timedelta(hours=8)
    engine_host.write(lambda c: deliveries.mark_failed(c, delivery, 500, "no", later))
    watcher = Watcher(engine_host)
    engine_host.clock.advance(hours=7)
    assert [watcher.stalled(after=STANDSTILL_SECONDS) for _ in range(2)] == [[], []]
    engine_host.clock.advance(hours=2)
    assert [watcher.stalled(after=STANDSTILL_SECONDS) for _ in range(2)] == [[], ["deliveries"]]
