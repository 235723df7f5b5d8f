"""A project with a manifest of its own: its cases, and a flow that runs it against the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from connector import ActionId, Connector
from connector.testing import Sandbox
from connector.testing.cases import RunnableCase, all_in

HERE = Path(__file__).parent


@pytest.mark.parametrize("case", all_in(HERE / "manifests", HERE / "cases"), ids=str)
def test_case(case: RunnableCase) -> None:
    assert case.differences() == []


def test_a_case_that_is_not_so_says_what_is_otherwise(tmp_path: Path) -> None:
    text = (HERE / "cases" / "find_mobility_customer.yaml").read_text(encoding="utf-8")
    (tmp_path / "find_mobility_customer.yaml").write_text(text.replace("query: {mobility", "query: {mobil"))
    found = [difference for case in all_in(HERE / "manifests", tmp_path) for difference in case.differences()]
    assert len(found) == 1
    assert found[0].startswith("query: expected")


def test_the_flow_runs_it(kontor_sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_MANIFESTS", str(HERE / "manifests"))
    with Connector(str(tmp_path)).open(kontor_sandbox.credential()) as kontor:
        found = kontor.invoke(ActionId("find_mobility_customer"), {"mobility_customer_id": "MC-4100"})
    assert all("name" in customer for customer in found.output["items"])
    assert kontor_sandbox.requests()[-1]["path"] == "/v2/mobility/customers"
