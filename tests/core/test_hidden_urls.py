"""Webhook URLs hold secrets in their paths: those are hidden, and hosts stay visible."""

from __future__ import annotations

import pytest

from connector.core.service.credential import HIDDEN, hide_hook_token, hide_paths


@pytest.mark.parametrize("end", ["", "/", "?a=b", "#c"])
def test_the_token_of_a_hosts_webhook_url_is_hidden_and_its_address_is_not(end: str) -> None:
    assert hide_hook_token(f"https://hub.example/kontor/hooks/s3cr-et_{end}").startswith(
        f"https://hub.example/kontor/hooks/{HIDDEN}"
    )
    assert "s3cr" not in hide_hook_token(f"https://hub.example/kontor/hooks/s3cr-et_{end}")


def test_paths_are_hidden_at_any_depth_and_other_values_stay() -> None:
    given = {"url": "HTTPS://a.example/x?y=z", "rows": [{"note": "see https://b.example/t0ken now"}], "n": 1, "z": None}
    assert hide_paths(given) == {
        "url": f"HTTPS://a.example/{HIDDEN}",
        "rows": [{"note": f"see https://b.example/{HIDDEN} now"}],
        "n": 1,
        "z": None,
    }
    assert hide_paths("https://a.example") == "https://a.example"
