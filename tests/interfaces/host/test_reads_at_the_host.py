"""Reads through a host: listed on demand, of one's own workspace only, and never among the writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.host.test_host_mcp import ask
from tests.interfaces.host.two_customers import two_customers
from tests.support.running_sandbox import RunningSandbox


def test_reads_by_http_and_mcp_are_listed_for_their_workspace_only(sandbox: RunningSandbox, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    with two_customers(sandbox, tmp_path) as customers:
        first, second = customers.first, customers.second
        with customers.caller(first.tokens["operator"]) as caller:
            assert caller.post("/v1/actions/list_payments/run", json={"inputs": {"limit": 5}}).status_code == 200
            assert caller.post("/v1/lookups/bank_accounts", json={"inputs": {}}).status_code == 200
            ask(caller, "tools/call", name="list_bank_accounts", arguments={})
            reads: list[dict[str, Any]] = caller.get("/v1/runs", params={"kind": "read"}).json()["runs"]
            writes = caller.get("/v1/runs").json()["runs"]
            shown = caller.get(f"/v1/runs/{reads[0]['id']}").json()["run"]
            page = caller.get("/v1/runs", params={"kind": "read", "after": reads[0]["id"]}).json()["runs"]
            assert caller.get("/v1/runs", params={"kind": "both"}).status_code == 400
            assert caller.post(f"/v1/runs/{reads[0]['id']}/settle", json={"happened": True}).status_code == 422
        assert [(one["action"], one["face"], one["actor"], one["kind"]) for one in reads] == [
            ("list_payments", "http", "operator of kunde-a", "read"),
            ("list_bank_accounts", "mcp", "operator of kunde-a", "read"),
        ]
        assert reads[0]["inputs"] == {"limit": 5}
        assert set(reads[0]["outcome"]) == {"cost"}
        assert [(one["id"], one["kind"]) for one in writes] == [(first.run, "write")]
        assert (shown, page) == (reads[0], reads[1:])
        with customers.caller(second.tokens["admin"]) as stranger:
            assert stranger.get("/v1/runs", params={"kind": "read"}).json()["runs"] == []
            assert stranger.get(f"/v1/runs/{reads[0]['id']}").status_code == 404
