"""The last release and this one side by side on one PostgreSQL: nothing is done twice, lost or told wrongly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from cryptography.fernet import Fernet

from connector.sandbox.banking.demo import HOUSE_BANK
from tests.interfaces.host.running_host import KEY, PAYMENT, TOKEN
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import Receiver, RunningSandbox
from tests.support.second_person import sign_in

__all__ = ["postgres_server", "postgres_url"]

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
OLDER = "d18d383"
"""The last commit whose database has the revision before."""
FOLDERS = ("connector", "actions", "triggers", "manifests", "sandbox")
COMMAND = "import sys; from connector.interfaces.cli import main; sys.exit(main())"


class Release(NamedTuple):
    """The code of one version, and the environment in which its commands run."""

    folder: Path
    env: dict[str, str]

    def command(self, *arguments: str) -> Any:
        """Run a command and return the document that it prints."""
        started = [sys.executable, "-c", COMMAND, *arguments, "--json"]
        done = subprocess.run(started, env=self.env, cwd=self.folder, capture_output=True, text=True, timeout=120)
        return json.loads(done.stdout)

    @contextmanager
    def host(self) -> Iterator[httpx.Client]:
        """Run a host; yield a client for it."""
        started = [sys.executable, "-c", COMMAND, "serve", "--no-console", "--json", "--port", "0"]
        process = subprocess.Popen(started, env=self.env, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["base_url"]
            headers = {"authorization": f"Bearer {TOKEN}", "x-api-key": KEY}
            with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=60) as client:
                yield client
        finally:
            process.terminate()
            assert process.wait(30) == 0


@pytest.fixture
def releases(sandbox: RunningSandbox, postgres_url: str, tmp_path: Path) -> tuple[Release, Release]:
    """The older and the newer one."""
    code = subprocess.run(["git", "archive", OLDER, *FOLDERS], cwd=ROOT, capture_output=True, check=False)
    if code.returncode:
        pytest.skip(f"the repository's history has no {OLDER} here: a clone with its history has")
    subprocess.run(["tar", "-x", "-C", str(tmp_path)], input=code.stdout, check=True)
    sandbox.order("/limits", limit=1_000_000)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    env = {
        **kept,
        "KONTOR_BASE_URL": sandbox.url,
        "KONTOR_API_KEY": KEY,
        "KONTOR_DATA": postgres_url,
        "KONTOR_DATA_KEY": Fernet.generate_key().decode(),
        "KONTOR_HOST_TOKEN": TOKEN,
        "KONTOR_PRIVATE_TARGETS": "allow",
        "KONTOR_PUBLIC_URL": "https://kontor.example",
    }
    return tuple(Release(folder, {**env, "PYTHONPATH": str(folder)}) for folder in (tmp_path, ROOT))  # type: ignore[return-value]


def pay(host: httpx.Client, key: str, amount: int = 10, token: str = TOKEN) -> dict[str, Any]:
    body, headers = {"inputs": {**PAYMENT, "amount": amount}, "key": key}, {"authorization": f"Bearer {token}"}
    return dict(host.post("/v1/actions/initiate_payment/run", json=body, headers=headers).json())


def paid(sandbox: RunningSandbox, key: str) -> int:
    """How many payments of a key the service has."""
    made = sandbox.api.get("/v2/banking/payments", params={"limit": 1000}).json()["data"]
    return sum((payment.get("custom_fields") or {}).get("kontor_key") == key for payment in made)


def items(polled: dict[str, Any]) -> list[str]:
    assert polled["ok"], polled
    return [item["_id"] for item in polled["items"]]


def test_an_older_and_a_newer_host_work_side_by_side(
    sandbox: RunningSandbox, releases: tuple[Release, Release]
) -> None:
    older, newer = releases
    flow = Receiver()
    asking = older.command("tokens", "create", "anna", "--role", "payer", "--person", "Anna Berg")["token"]
    older.command("policy", "set", "approve_above=1000")
    poll = ("poll", "new_transaction", "--set", f"connection_id={HOUSE_BANK}", "--set", "include_pending=true")
    with older.host() as old:
        approving = sign_in(str(old.base_url), "Jan Petersen", "approver", token=TOKEN)
        assert pay(old, "before")["ok"]
        subscription = {"trigger": "run_finished", "inputs": {}, "target_url": flow.url}
        subscribed = old.post("/v1/subscriptions", json=subscription)
        assert subscribed.status_code == 201, subscribed.text
        assert items(older.command(*poll, "--start", "now")) == []
        with newer.host() as new, ThreadPoolExecutor(4) as pool:
            hosts = (old, new)
            assert [host.get("/readyz").status_code for host in hosts] == [200, 200]
            assert pay(new, "before")["replayed"] is True
            for number in range(6):
                pairs = [pool.submit(pay, host, f"key-{number}") for host in (*hosts, *hosts)]
                done = {answer["output"]["id"] for future in pairs if (answer := future.result())["ok"]}
                assert done == {pay(host, f"key-{number}")["output"]["id"] for host in hosts}
                assert paid(sandbox, f"key-{number}") == len(done) == 1
            found: list[str] = []
            for release in (older, newer, older, newer):
                sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=3)
                found += items(release.command(*poll))
            assert len(found) == len(set(found)) == 12
            for number, (asked_at, approved_at) in enumerate((hosts, hosts[::-1])):
                run = pay(asked_at, f"large-{number}", 2000, asking)["run"]
                headers = {"authorization": f"Bearer {approving}"}
                assert approved_at.post(f"/v1/runs/{run}/approve", headers=headers).status_code == 200
                told = flow.events.get(timeout=60)
                assert (told["run"], told["state"]) == (run, "done")
                assert paid(sandbox, f"large-{number}") == 1
            assert [host.get("/readyz").status_code for host in hosts] == [200, 200]
        assert pay(old, "the newer one is taken back")["ok"]
    with newer.host() as new:
        assert pay(new, "key-0")["replayed"] is True
        assert pay(new, "the newer one is taken back")["replayed"] is True
        assert {run["state"] for run in new.get("/v1/runs").json()["runs"]} == {"done"}
    assert newer.command("audit", "verify")["ok"] is True
    assert flow.events.empty()
    flow.close()
