"""The states of a payment only move forward, and only three of them are final."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest

from connector.core.service_facts import payment_moves_forward as moves_forward
from connector.core.service_facts import payment_states
from tests.support.fitting import known_values

RANK, FINAL = payment_states().rank, payment_states().final

WAY = ["initiated", "initiated_info_required", "authorizing", "authorized", "processing", "executed"]


@pytest.mark.conforms("payment_status.states")
def test_every_described_status_has_a_rank() -> None:
    assert set(RANK) == set(known_values("Payment", "status"))


@pytest.mark.conforms("payment_status.settled_is_final")
def test_only_settled_failed_and_rejected_are_final() -> None:
    assert {"settled", "failed", "rejected"} == FINAL


@pytest.mark.conforms("payment_status.after_confirmation", "payment_status.authorizing_to_processing")
def test_statuses_move_forward_only() -> None:
    for earlier, later in pairwise(WAY):
        assert moves_forward(earlier, later)
        assert not moves_forward(later, earlier)
    for status in WAY:
        assert not moves_forward(status, status)
        for end in FINAL:
            assert moves_forward(status, end)
            assert not moves_forward(end, status)


@pytest.mark.conforms("payment_status.settled_is_final")
def test_nothing_follows_a_final_status() -> None:
    for one, other in permutations([*FINAL, "something new"], 2):
        assert moves_forward(one, other) == (one == "something new")


@pytest.mark.conforms("payment_status.other_transitions")
def test_a_status_nobody_described_is_news_and_blocks_nothing() -> None:
    assert moves_forward("processing", "on_hold")
    assert moves_forward("on_hold", "processing")
    assert moves_forward("on_hold", "settled")
    assert moves_forward(None, "on_hold")
    assert not moves_forward("on_hold", "on_hold")
