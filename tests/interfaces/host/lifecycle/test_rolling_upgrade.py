"""The last release and this one side by side on one PostgreSQL: nothing is done twice, lost or told wrongly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from cryptography.fernet import Fernet

from connector.store.schema import OLDEST_CODE
from tests.interfaces.host.running_host import KEY, PAYMENT, TOKEN
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
OLDER, OLDER_REVISION = "d18d383", 16
"""The last release, and the revision of its database."""
NEIGHBOURS = OLDEST_CODE <= OLDER_REVISION
"""Whether the last release may still use the database of this one; its rights mean something else since revision 29."""
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


def test_an_older_host_is_not_ready_beside_one_whose_database_it_cannot_use_and_nothing_is_paid_twice(
    sandbox: RunningSandbox, releases: tuple[Release, Release]
) -> None:
    older, newer = releases
    with older.host() as old:
        assert pay(old, "before")["ok"]
        with newer.host() as new:
            assert [host.get("/readyz").status_code for host in (old, new)] == [200 if NEIGHBOURS else 503, 200]
            assert pay(new, "before")["replayed"] is True
            assert pay(new, "after")["ok"]
    assert (paid(sandbox, "before"), paid(sandbox, "after")) == (1, 1)
    assert newer.command("audit", "verify")["ok"] is True
