"""A seed makes the same history every time, and a run lets every fault act often enough."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.histories.plan.faults import FAULTS as KNOWN
from tests.histories.plan.plan import FAULTS, faults_of, plan, schedule_of
from tests.histories.plan.schedule import LANES, SECONDS, Schedule
from tests.histories.plan.writes import NOTATIONS, Write


def _acts(schedules: list[Schedule]) -> Counter[str]:
    return Counter(fault.name for schedule in schedules for fault in schedule.faults)


def test_a_seed_makes_the_same_schedule_again() -> None:
    assert schedule_of(7003) == schedule_of(7003)
    assert schedule_of(7003) != schedule_of(7005)


@pytest.mark.parametrize("seed", range(1, 12))
def test_forty_histories_have_two_thousand_operations_and_every_fault_five_times(seed: int) -> None:
    schedules = plan(seed, 40)
    assert sum(len(schedule.operations) for schedule in schedules) >= 2000
    acts = _acts(schedules)
    assert set(acts) == {name for names in FAULTS.values() for name in names}
    assert min(acts.values()) >= 5
    assert Counter(schedule.backend for schedule in schedules) == {"sqlite": 20, "postgresql": 20}


@pytest.mark.parametrize("seed", range(1, 12))
def test_in_eight_histories_every_fault_acts(seed: int) -> None:
    assert set(_acts(plan(seed, 8))) == {name for names in FAULTS.values() for name in names}


def test_no_fault_acts_twice_in_one_history() -> None:
    for seed in range(5000, 5040):
        for backend in FAULTS:
            hand = faults_of(seed, backend)
            assert len(set(hand)) == len(hand)


def test_every_fault_is_known_and_every_operation_has_its_client() -> None:
    for schedule in plan(3, 20):
        assert {fault.name for fault in schedule.faults} <= set(KNOWN)
        assert {planned.lane for planned in schedule.operations} <= set(LANES[schedule.backend])
        assert max(planned.at for planned in schedule.operations) <= SECONDS


def test_a_run_has_keys_repeats_conflicts_presses_and_every_kind_of_client() -> None:
    operations = [planned for schedule in plan(1, 8) for planned in schedule.operations]
    keyed = Counter(planned.key for planned in operations if planned.key)
    marks = {(planned.key, planned.write.mark) for planned in operations if planned.key}
    assert max(keyed.values()) > 1
    assert max(Counter(key for key, _ in marks).values()) > 1
    assert any(planned.key is None and planned.again for planned in operations)
    assert {planned.lane.split("-")[0] for planned in operations} == {"http", "cli", "python"}
    assert {planned.notation for planned in operations} == set(range(NOTATIONS))


@pytest.mark.parametrize("action", ["initiate_payment", "create_cash_book_entry", "save_person_account"])
def test_another_notation_is_another_text_with_the_same_meaning(action: str) -> None:
    write = Write(action, "m", 1250)
    assert write.inputs(0) != write.inputs(1)
    assert write.digest == Write(action, "m", 1250).digest != Write(action, "m", 1251).digest
