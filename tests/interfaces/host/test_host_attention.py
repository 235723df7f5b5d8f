"""Each kind of trouble is told over HTTP as it is listed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.durable.settings import Settings
from connector.durable.upkeep.attention import KINDS
from tests.interfaces.host.running_host import TOKEN, RunningHost, running
from tests.support.troubles import Troubles

IDLE = Settings(tick=3600.0)
"""The engine leaves everything as it is."""


@pytest.fixture
def host(sandbox: Any, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path, trial=False, own_credential=None, engine=IDLE) as host:
        yield host


@pytest.fixture
def troubles(host: RunningHost) -> Troubles:
    state = host.state
    now, url = state.context.now(), state.settings.base_url
    return state.database.write(lambda c: Troubles(c, state.connector, state.vault, now, url)).result()


def viewer(host: RunningHost, workspace: str = "default") -> dict[str, str]:
    """The headers of somebody who only looks, so that the host asks for nothing and lets everything be."""
    body = {"name": f"viewer-{workspace}", "role": "viewer", "workspace": workspace}
    made = host.caller(TOKEN, None).post("/v1/tokens", json=body)
    assert made.status_code == 201, made.text
    return {"token": made.json()["token"]}


def test_the_host_tells_each_kind_with_area_since_remedy_and_place(host: RunningHost, troubles: Troubles) -> None:
    with host.caller(viewer(host)["token"], None) as caller:
        found = caller.get("/v1/attention").json()
    assert sorted((one["kind"], one["subject"]) for one in found["items"]) == sorted(troubles.made)
    assert [one["kind"] for one in found["items"]] == list(KINDS)
    assert found["counts"] == {"build": 2, "decide": 4, "operate": 11}
    for one in found["items"]:
        area, role = KINDS[one["kind"]]
        # Who may not pay may not say either what became of a payment.
        assert (one["area"], one["role"]) == (area, "payer" if one["kind"] == "outcome_unknown" else role)
        assert one["remedy"]["en"] != one["remedy"]["de"]
        assert one["place"]
    waiting = next(one for one in found["items"] if one["kind"] == "approval_waiting")
    assert waiting["message"]["de"].startswith("Zahlung auslösen: von Ada angefordert, wartet bis ")
    assert waiting["place"] == f"runs/{waiting['subject']}"
    assert waiting["since"] is not None


def test_another_workspace_hears_of_none_of_it(host: RunningHost, troubles: Troubles) -> None:
    with host.caller(TOKEN, None) as admin:
        assert admin.post("/v1/workspaces", json={"name": "kunde-b"}).status_code == 201
    with host.caller(viewer(host, "kunde-b")["token"], None) as caller:
        found = caller.get("/v1/attention").json()
        assert (found["workspace"], found["items"]) == ("kunde-b", [])
        assert caller.get("/v1/attention", params={"workspace": "default"}).status_code == 403
