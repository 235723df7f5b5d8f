"""Starting and stopping: the host token, who may listen where, and `kontor serve --sandbox` as a process."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from connector import Connector
from connector.core.errors import InputError
from connector.core.limits import MAX_WRONG_TOKENS
from connector.core.messages import Text, quote
from connector.interfaces.host.server import listen
from connector.interfaces.host.start import HostOptions, host_token, open_host
from tests.interfaces.host.running_host import running
from tests.support.running_sandbox import HOST_TOKEN, RunningSandbox

pytestmark = pytest.mark.long

KONTOR = str(Path(sys.executable).parent / "kontor")


def test_a_token_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    first, second = host_token(str(tmp_path), {}), host_token(str(tmp_path), {})
    assert (first.is_new, second.is_new, first.from_env) == (True, False, False)
    assert first.text == second.text
    assert len(first.text) >= 40
    assert stat.S_IMODE((tmp_path / "host.token").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["host.token"]
    assert first.text not in repr(first)


def test_a_token_that_is_given_is_taken_and_not_written_down(tmp_path: Path) -> None:
    token = host_token(str(tmp_path), {"KONTOR_HOST_TOKEN": f" {HOST_TOKEN} "})
    assert (token.text, token.from_env, list(tmp_path.iterdir())) == (HOST_TOKEN, True, [])


def test_a_token_that_no_header_can_carry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        host_token(str(tmp_path), {"KONTOR_HOST_TOKEN": "two words"})


@pytest.mark.parametrize("token", ["qqq", HOST_TOKEN[:31]])
def test_a_token_that_could_be_guessed_is_refused(tmp_path: Path, token: str) -> None:
    with pytest.raises(InputError) as refused:
        host_token(str(tmp_path), {"KONTOR_HOST_TOKEN": token})
    assert "32" in refused.value.message.en
    assert token not in refused.value.message.en


def start(options: HostOptions, env: dict[str, str]) -> Any:
    with open_host(options, lambda connector: connector.database, env) as host:
        return host.state


def test_without_a_chosen_token_only_this_machine_may_call(tmp_path: Path) -> None:
    env = {"KONTOR_DATA": str(tmp_path), "KONTOR_BASE_URL": "https://service.example"}
    everywhere = HostOptions(host="0.0.0.0", port=0)
    with pytest.raises(InputError) as refused:
        start(everywhere, env)
    assert refused.value.field == "--host"
    state = start(everywhere, {**env, "KONTOR_HOST_TOKEN": HOST_TOKEN})
    assert state.host_token == HOST_TOKEN


def test_a_host_without_a_service_says_so_at_its_start(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        start(HostOptions(port=0), {"KONTOR_DATA": str(tmp_path)})
    assert refused.value.field == "KONTOR_BASE_URL"


def test_for_real_private_targets_and_loopback_hooks_are_refused(tmp_path: Path) -> None:
    env = {"KONTOR_DATA": str(tmp_path), "KONTOR_BASE_URL": "https://service.example", "KONTOR_API_KEY": "own-key"}
    state = start(HostOptions(port=0), env)
    assert (state.context.allow_private_targets, state.context.allow_loopback_hooks) == (False, False)
    assert (state.sandbox_url, state.settings.own_credential.api_key) == (None, "own-key")
    allowed = start(HostOptions(port=0), {**env, "KONTOR_PRIVATE_TARGETS": "allow"})
    assert allowed.context.allow_private_targets


@pytest.mark.parametrize(
    ("given", "trusted"), [("", "127.0.0.1,::1"), ("10.0.0.7, 10.1.0.0/16", "10.0.0.7,10.1.0.0/16"), ("::1", "::1")]
)
def test_a_host_trusts_the_named_proxies(tmp_path: Path, given: str, trusted: str) -> None:
    env = {"KONTOR_DATA": str(tmp_path), "KONTOR_BASE_URL": "https://service.example", "KONTOR_TRUSTED_PROXIES": given}
    assert start(HostOptions(port=0), env).settings.trusted_proxies == trusted


@pytest.mark.parametrize("given", ["*", "0.0.0.0/0", "::/0", "proxy.example", "10.0.0.7,*", "10.0.0.300"])
def test_a_host_trusts_no_proxy_that_it_cannot_tell(tmp_path: Path, given: str) -> None:
    env = {"KONTOR_DATA": str(tmp_path), "KONTOR_BASE_URL": "https://service.example", "KONTOR_TRUSTED_PROXIES": given}
    with pytest.raises(InputError) as refused:
        start(HostOptions(port=0), env)
    assert refused.value.field == "KONTOR_TRUSTED_PROXIES"


@pytest.mark.parametrize(("proxies", "believed"), [("127.0.0.0/8", True), ("10.0.0.7", False)])
def test_forwarded_headers_are_believed_from_a_trusted_proxy_alone(
    sandbox: RunningSandbox, tmp_path: Path, proxies: str, believed: bool
) -> None:
    with running(sandbox, tmp_path, trusted_proxies=proxies) as host, host.caller(token="wrong") as stranger:

        def status(address: str) -> int:
            return stranger.get("/v1/actions", headers={"x-forwarded-for": address}).status_code

        assert {status("192.0.2.7") for _ in range(MAX_WRONG_TOKENS)} == {401}
        assert status("192.0.2.7") == 429
        assert status("192.0.2.8") == (401 if believed else 429), "it has tried none yet, if that is its address"


def test_a_taken_port_gives_way_to_the_next_free_one() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with listen("127.0.0.1", port) as other:
            assert port < other.getsockname()[1] <= port + 50


def test_a_trial_leaves_no_folder_behind() -> None:
    with open_host(HostOptions(port=0, sandbox=True), lambda connector: connector.database, {}) as host:
        location = host.token.path
        assert location is not None
        assert location.exists()
    assert not location.parent.exists()


def test_a_trial_with_a_folder_keeps_its_data_and_the_world_of_the_simulated_service(tmp_path: Path) -> None:
    env = {"KONTOR_DATA": str(tmp_path)}
    doing: list[Text] = []
    balances = []
    for _ in range(2):
        options = HostOptions(port=0, sandbox=True)
        with open_host(options, lambda connector: connector.database, env, doing.append) as host:
            url = f"{host.state.sandbox_url}/sandbox"
            balances.append(httpx.get(f"{url}/state", trust_env=False).json()["credits"])
            httpx.post(f"{url}/credits", json={"balance": 4711}, trust_env=False).raise_for_status()
    assert balances[0] != balances[1]
    assert "4711" in json.dumps(balances[1])
    assert str(tmp_path) in doing[1].en


def test_a_store_that_cannot_be_opened_is_said_before_anything_serves(tmp_path: Path) -> None:
    def fails(_: Connector) -> None:
        raise InputError(quote("no disk"))

    env = {"KONTOR_DATA": str(tmp_path), "KONTOR_BASE_URL": "https://service.example"}
    with pytest.raises(InputError), open_host(HostOptions(port=0), fails, env):
        pass


@contextmanager
def served(*more: str, **env: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    command = [KONTOR, "serve", "--sandbox", "--no-console", "--port", "0", "--json", *more]
    process = subprocess.Popen(command, env={**plain, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_trial_answers_and_ends_cleanly(sign: signal.Signals, tmp_path: Path) -> None:
    with served(TMPDIR=str(tmp_path)) as (process, told):
        headers = {"authorization": f"Bearer {told['host_token']}"}
        with httpx.Client(base_url=told["base_url"], headers=headers, trust_env=False) as caller:
            assert caller.post("/v1/actions/list_bank_accounts/run", json={}).status_code == 200
            assert caller.get("/readyz").json()["ok"]
            begun = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(sign)
            assert process.wait(30) == 0
        _, errors = process.communicate()
        assert [line for line in errors.splitlines() if json.loads(line)["level"] in {"error", "critical"}] == []
        assert told["host_token"] not in errors
    assert psutil.wait_procs(begun, timeout=5)[1] == [], "nothing that could still listen is left"
    assert list(tmp_path.iterdir()) == []


def test_a_given_token_is_not_printed(tmp_path: Path) -> None:
    with served(KONTOR_HOST_TOKEN=HOST_TOKEN, KONTOR_DATA=str(tmp_path)) as (process, told):
        assert "host_token" not in told
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert "host.token" not in {path.name for path in tmp_path.iterdir()}
