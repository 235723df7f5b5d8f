"""The faults: each disturbs something, waits, and ends what it began."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

from tests.histories.plan.schedule import Fault
from tests.histories.scene.people import approvals
from tests.histories.scene.scene import Scene
from tests.histories.scene.stores import PostgresStore, SqliteStore

ANSWER_PROBABILITY = 0.2
"""How often each of the ordered answers strikes a write that none before it has struck."""
PAGES = 3
"""How many pages another program fills while the payments list is paged."""


def act(scene: Scene, fault: Fault) -> None:
    """Let a fault act from beginning to end, and record that."""
    scene.recorder.record("fault", name=fault.name, phase="begins", options=fault.options)
    FAULTS[fault.name](scene, fault)
    scene.recorder.record("fault", name=fault.name, phase="ends")


def _slow_writes(scene: Scene) -> AbstractContextManager[None]:
    """Keep writes on their way for a while, so that something can happen to their sender."""
    return scene.sandbox.fault("slow", 0.5, seconds=1.5)


def _lost_answers(scene: Scene) -> AbstractContextManager[None]:
    """Lose answers, so that writes must be looked up."""
    return scene.sandbox.fault("drop_after", 0.6)


def fault(scene: Scene, fault: Fault) -> None:
    """One fault of the sandbox, as ordered, until all is healed."""
    scene.sandbox.order_fault(**fault.options)


def paid_elsewhere(scene: Scene, fault: Fault) -> None:
    """Payments of another program."""
    scene.sandbox.pay_elsewhere(fault.options["count"])


def payments_list(scene: Scene, fault: Fault) -> None:
    """The payments list, as ordered, until all is healed."""
    scene.sandbox.set_payments_list(fault.options)


def kill_host(scene: Scene, fault: Fault) -> None:
    victims = fault.options["victims"]
    with _slow_writes(scene):
        for victim in victims:
            time.sleep(0.8)
            if victim.startswith("host"):
                host = scene.hosts[int(victim.removeprefix("host-"))]
                host.kill()
                host.start()
            else:
                scene.clients[victim].kill()
            time.sleep(max(0.0, fault.lasts / len(victims) - 0.8))


def stop_host(scene: Scene, fault: Fault) -> None:
    host = scene.hosts[fault.options["host"]]
    with _slow_writes(scene):
        time.sleep(1.0)
        host.freeze()
        time.sleep(fault.lasts)
        host.thaw()


def clock_step(scene: Scene, fault: Fault) -> None:
    clock = scene.hosts[fault.options["host"]].clock
    assert clock is not None
    steps = fault.options["steps"]
    with _slow_writes(scene):
        for offset in [*steps, 0]:
            clock.step(offset)
            time.sleep(fault.lasts / (len(steps) + 1))


def lost_before(scene: Scene, fault: Fault) -> None:
    _fault(scene, fault, "drop_before")


def lost_after(scene: Scene, fault: Fault) -> None:
    _fault(scene, fault, "drop_after")


def error_after(scene: Scene, fault: Fault) -> None:
    _fault(scene, fault, "error_500_after")


def _fault(scene: Scene, fault: Fault, kind: str) -> None:
    """Strike writes, and half as often what is read to find out what became of them."""
    probability = fault.options["probability"]
    with scene.sandbox.fault(kind, probability), scene.sandbox.fault(kind, probability / 2, method="GET"):
        time.sleep(fault.lasts)


def any_answer(scene: Scene, fault: Fault) -> None:
    """Act or not, then answer any status with or without body and headers."""
    with ExitStack() as stack:
        for answer in fault.options["answers"]:
            stack.enter_context(scene.sandbox.fault(probability=ANSWER_PROBABILITY, **answer))
        time.sleep(fault.lasts)


def rate_storm(scene: Scene, fault: Fault) -> None:
    with ExitStack() as stack:
        for method in ("POST", "GET"):
            stack.enter_context(scene.sandbox.fault("rate_limited", 0.8, method=method))
        time.sleep(fault.lasts)


def late_acting(scene: Scene, fault: Fault) -> None:
    seconds = fault.options["seconds"]
    with scene.sandbox.fault("act_late", 0.6, seconds=seconds):
        time.sleep(fault.lasts)
    time.sleep(seconds)


def list_lag(scene: Scene, fault: Fault) -> None:
    with scene.sandbox.payments_list(payments_lag=fault.options["seconds"]), _lost_answers(scene):
        time.sleep(fault.lasts)


def list_without_keys(scene: Scene, fault: Fault) -> None:
    with scene.sandbox.payments_list(payments_hide_custom_fields=True), _lost_answers(scene):
        time.sleep(fault.lasts)


def paged_list(scene: Scene, fault: Fault) -> None:
    size = fault.options["size"]
    with scene.sandbox.payments_list(payments_page_size=size), _lost_answers(scene):
        for _ in range(PAGES):
            scene.sandbox.pay_elsewhere(size)
            time.sleep(fault.lasts / PAGES)


def restore(scene: Scene, fault: Fault) -> None:
    with scene.store_lock:
        scene.recorder.record("backup")
        scene.store.backup()
    with _slow_writes(scene):
        time.sleep(fault.lasts)
    with scene.store_lock, scene.nobody_uses_the_store():
        scene.store.restore()
        scene.recorder.record("restored")


def file_deleted(scene: Scene, fault: Fault) -> None:
    """Delete the database under a running host, and put it back later as it was: what was known is known again.

    Until then only that host may have it open. Anybody who starts meanwhile has a new, empty database, and nothing can
    tell that from a new machine.
    """
    (host,) = scene.hosts
    assert isinstance(scene.store, SqliteStore)
    with scene.store_lock, scene.only_hosts_use_the_store(), host.kept_running():
        host.freeze()
        scene.store.backup()
        scene.store.delete()
        host.thaw()
        time.sleep(fault.lasts)
        host.kill()
        scene.store.restore()
        host.start()


def key_replaced(scene: Scene, fault: Fault) -> None:
    scene.replace_api_key()


def disk_full(scene: Scene, fault: Fault) -> None:
    assert isinstance(scene.store, SqliteStore)
    with scene.store_lock:
        scene.store.fill()
        time.sleep(fault.lasts)
        scene.store.empty()


def postgres_frozen(scene: Scene, fault: Fault) -> None:
    assert isinstance(scene.store, PostgresStore)
    with scene.store_lock, _slow_writes(scene):
        time.sleep(0.8)
        scene.store.server.freeze()
        time.sleep(fault.lasts)
        scene.store.server.thaw()


def postgres_killed(scene: Scene, fault: Fault) -> None:
    assert isinstance(scene.store, PostgresStore)
    with scene.store_lock, _slow_writes(scene):
        time.sleep(0.8)
        scene.store.server.kill()
        time.sleep(fault.lasts)
        scene.store.server.start()


FAULTS: dict[str, Callable[[Scene, Fault], None]] = {
    fault.__name__: fault
    for fault in (
        kill_host, stop_host, clock_step, lost_before, lost_after, error_after, any_answer, rate_storm, late_acting,
        list_lag, list_without_keys, paged_list, restore, file_deleted, key_replaced, disk_full, postgres_frozen,
        postgres_killed,
        fault, payments_list, paid_elsewhere, approvals,
    )
}  # fmt: skip
