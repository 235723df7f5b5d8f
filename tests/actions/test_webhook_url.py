"""The webhook URL comes out under one name, whatever the service's answer looks like."""

from __future__ import annotations

from typing import Any

import pytest

from actions.banking import get_webhook_url, set_webhook_url

URL = "https://hooks.muster.example/kontor"
TELLING = [{"data": {"webhook_url": URL}}, {"webhook_url": URL}, {"url": URL}, URL]


@pytest.mark.parametrize("reply", TELLING)
def test_the_url_is_found_in_every_plausible_answer(reply: Any) -> None:
    assert get_webhook_url.shape(reply) == {"webhook_url": URL}
    assert set_webhook_url.shape(reply) == {"webhook_url": URL}


@pytest.mark.parametrize("reply", [None, {}, {"data": None}, {"webhook_url": None}, {"webhook_url": ""}])
def test_none_set_is_told_as_null(reply: Any) -> None:
    assert get_webhook_url.shape(reply) == {"webhook_url": None}


def test_an_unreadable_answer_is_not_taken_for_none_set() -> None:
    with pytest.raises(ValueError, match="webhook URL"):
        get_webhook_url.shape({"ok": True})


@pytest.mark.parametrize("reply", [{"ok": True}, {}, None, {"data": None}, 7])
def test_a_url_that_was_set_is_a_success_and_never_reads_as_unset(reply: Any) -> None:
    assert set_webhook_url.shape(reply) == {"answer": reply}
