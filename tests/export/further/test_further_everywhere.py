"""An action, a lookup and a trigger from a folder outside the package work in every face and in every export."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from tests.export.further.further_service import FurtherService, further_service

FOLDER = Path(__file__).parent / "manifests"
KONTOR = Path(sys.executable).parent / "kontor"
ORDER, ORDERS, NEW_ORDER = "create_standing_order", "standing_orders", "new_standing_order"
INPUTS: dict[str, Any] = {
    "account": "8101",
    "iban": "DE02 1203 0000 0000 2020 51",
    "months": 3,
    "scheme": "SEPA",
    "lines": [{"purpose": "Rent", "amount": 12.5}],
}
PLATFORMS = ("make", "n8n", "openapi", "power-automate", "zapier")


@pytest.fixture
def service() -> Iterator[FurtherService]:
    with further_service() as service:
        service.order(7)
        yield service


@pytest.fixture
def environment(service: FurtherService, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    return {
        **kept,
        "KONTOR_MANIFESTS": str(shutil.copytree(FOLDER, tmp_path / "manifests")),
        "KONTOR_BASE_URL": service.url,
        "KONTOR_API_KEY": "a-key",
        "KONTOR_DATA": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def kontor(environment: dict[str, str], *arguments: str) -> Any:
    done = subprocess.run([KONTOR, *arguments, "--json"], env=environment, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def test_the_command_line_lists_runs_offers_and_polls_them(
    environment: dict[str, str], service: FurtherService
) -> None:
    listed = kontor(environment, "actions")["actions"]
    assert ORDER in {one["id"] for one in listed}
    done = kontor(environment, "run", ORDER, "--input", json.dumps(INPUTS))
    assert (done["ok"], done["output"]) == (True, {"id": "1"})
    refused = kontor(environment, "run", ORDER, "--input", json.dumps({**INPUTS, "scheme": "SWIFT"}))
    assert (refused["error"]["kind"], refused["error"]["field"]) == ("input", "scheme")
    [option] = kontor(environment, "options", ORDERS)["options"]
    assert (option["value"], "Order 7" in option["label"]) == ("7", True)
    first = kontor(environment, "poll", NEW_ORDER, "--set", "account=8101", "--start", "all")
    service.order(8)
    second = kontor(environment, "poll", NEW_ORDER, "--set", "account=8101")
    assert [[item["_id"] for item in poll["items"]] for poll in (first, second)] == [["7"], ["8"]]


def test_the_host_runs_them(environment: dict[str, str]) -> None:
    command = [KONTOR, "serve", "--port", "0", "--json"]
    host = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert host.stdout is not None
        told = json.loads(host.stdout.readline())
        headers = {"authorization": f"Bearer {told['host_token']}", "x-api-key": "a-key"}
        with httpx.Client(base_url=told["base_url"], headers=headers, timeout=30) as api:
            assert ORDER in {one["id"] for one in api.get("/v1/actions").json()["actions"]}
            done = api.post(f"/v1/actions/{ORDER}/run", json={"inputs": INPUTS}).json()
            options = api.post(f"/v1/lookups/{ORDERS}", json={"inputs": {}}).json()
            polled = api.post(
                f"/v1/triggers/{NEW_ORDER}/poll", json={"inputs": {"account": "8101"}, "start": "all"}
            ).json()
            described = api.get("/openapi.json").json()["components"]["schemas"]
    finally:
        host.terminate()
        host.wait(30)
    assert done["output"] == {"id": "1"}
    assert [one["value"] for one in options["options"]] == ["7"]
    assert [item["_id"] for item in polled["items"]] == ["7"]
    assert f"action.{ORDER}.inputs" in described


async def test_an_agent_finds_the_action_among_its_tools(environment: dict[str, str]) -> None:
    async with Client(StdioServerParameters(command=str(KONTOR), args=["mcp"], env=environment)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert "iban" in tools[ORDER].input_schema["properties"]


@pytest.mark.parametrize("via", ["service", "host"])
def test_every_export_holds_them(environment: dict[str, str], tmp_path: Path, via: str) -> None:
    kontor(environment, "export", "all", "-o", str(tmp_path / "out"), "--via", via, "--with-writes")
    for platform in PLATFORMS:
        report = json.loads((tmp_path / "out" / platform / "kontor-report.json").read_text(encoding="utf-8"))
        assert ORDER in report["holds"]["actions"], platform
        assert ORDERS in report["holds"]["lookups"], platform
        assert NEW_ORDER in report["holds"]["triggers"], platform
