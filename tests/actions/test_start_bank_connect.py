"""A started connect flow is a success, whatever the service says to it."""

from __future__ import annotations

from typing import Any

import pytest
from actions.banking.start_bank_connect import shape

LINK = "https://service.example/connect/1"


def test_an_object_comes_out_of_its_envelope() -> None:
    assert shape({"data": {"connect_url": LINK}}) == {"connect_url": LINK}
    assert shape({"connect_url": LINK}) == {"connect_url": LINK}


@pytest.mark.parametrize("reply", [LINK, {"data": LINK}, None, []])
def test_any_other_answer_is_passed_on(reply: Any) -> None:
    assert shape(reply) == {"answer": reply}
