"""The database file of a running host vanishes: the host is not ready, sends nothing, and a new start goes on."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.interfaces.host.running_host import PAYMENT, RunningHost, running
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

FILES = ("kontor.db", "kontor.db-wal", "kontor.db-shm")
BOOKING = "create_cash_book_entry"
PATH = "/v2/ledger-duo/kassenbuch-advanced"


def entry(text: str) -> dict[str, Any]:
    line = {"belegtext": text, "gegenkonto": "8400", "belegNummer": "K-1", "betrag": "119.00"}
    return {
        "ledger_connection": NORDLICHT,
        "kassenname": "Ladenkasse",
        "betrag": "119.00",
        "transaktionsdatum": "2026-11-14T10:00",
        "belegzeilen": [line],
    }


def sent(sandbox: RunningSandbox, path: str = PATH) -> int:
    return sum(one["method"] == "POST" and one["path"] == path for one in sandbox.requests())


def delete(folder: Path) -> None:
    for name in FILES:
        (folder / name).unlink()


def not_sent(answer: httpx.Response) -> None:
    problem = answer.json()
    assert (answer.status_code, problem["kind"], problem["outcome"]) == (503, "store_down", "not_sent"), problem


def test_a_key_is_not_booked_again_by_a_host_whose_file_was_deleted(host: RunningHost, sandbox: RunningSandbox) -> None:
    assert host.run(BOOKING, entry("einmal"), key="lauf-1").status_code == 200
    delete(host.folder)
    for inputs, more in ((entry("einmal"), {"key": "lauf-1"}), (entry("neu"), {"key": "lauf-2"}), (entry("ohne"), {})):
        answer = host.run(BOOKING, inputs, **more)
        not_sent(answer)
        assert "database file" in answer.json()["message"]
    assert sent(sandbox) == 1
    german = host.http.post(
        f"/v1/actions/{BOOKING}/run", json={"inputs": entry("neu"), "key": "k"}, headers={"accept-language": "de"}
    )
    assert "Datenbankdatei" in german.json()["message"]


def test_readyz_says_why_and_the_log_once(host: RunningHost) -> None:
    assert host.http.get("/readyz").status_code == 200
    delete(host.folder)
    time.sleep(1.1)  # an answer is kept for a second
    for _ in range(2):
        answer = host.http.get("/readyz")
        assert answer.status_code == 503
        assert (answer.json()["database"], "deleted" in answer.json()["reason"]["en"]) == ("refused", True)
        assert "gelöscht" in answer.json()["reason"]["de"]
        time.sleep(1.1)
    assert host.http.get("/healthz").status_code == 200
    assert host.log().count("the host is not ready") == 1


def test_what_has_left_when_the_file_vanishes_is_told_as_it_is(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="slow", times=1, seconds=1.0, match={"path": PATH})
    sandbox.order("/faults", kind="drop_after", times=1, match={"path": PATH, "method": "POST"})
    answers: list[httpx.Response] = []
    caller = threading.Thread(target=lambda: answers.append(host.run(BOOKING, entry("unterwegs"), key="lauf-1")))
    caller.start()
    deadline = time.monotonic() + 20
    while not sent(sandbox) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert caller.is_alive()
    delete(host.folder)
    caller.join()
    assert answers[0].status_code == 200 or answers[0].json()["outcome"] == "unknown", answers[0].text
    not_sent(host.run(BOOKING, entry("unterwegs"), key="lauf-1"))
    assert sent(sandbox) == 1


@pytest.mark.parametrize("replaced", [False, True])
def test_a_new_start_works_with_what_is_there_and_finds_payments_at_the_service(
    sandbox: RunningSandbox, tmp_path: Path, replaced: bool
) -> None:
    with running(sandbox, tmp_path) as host:
        paid = host.run("initiate_payment", PAYMENT, key="lauf-1").json()
        delete(tmp_path)
        if replaced:
            with running(sandbox, tmp_path) as other:  # creates another file
                assert other.http.get("/readyz").status_code == 200
        not_sent(host.run("initiate_payment", PAYMENT, key="lauf-1"))
    with running(sandbox, tmp_path) as again:
        assert again.http.get("/readyz").status_code == 200
        found = again.run("initiate_payment", PAYMENT, key="lauf-1").json()
        assert (found["replayed"], found["output"]["id"]) == (True, paid["output"]["id"])
        assert again.run(BOOKING, entry("danach"), key="lauf-2").status_code == 200
    assert sent(sandbox, "/v2/banking/payments") == 1
