"""Ctrl-C during a write: whatever the moment, the caller hears what is known of it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connector.runtime.writes import write
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.cli.kontor_command import CommandResult, Kontor, as_from_a_terminal
from tests.support.running_sandbox import RunningSandbox

PAYMENT = [
    *("run", "initiate_payment", "--json", f"--set=account_id={MAIN_ACCOUNT}", "--set=creditor_name=Reifen Voss KG"),
    *("--set=creditor_iban=DE02120300000000202051", "--set=amount=297.50"),
]
KEYS = pytest.mark.parametrize("key", [["--key=lauf-1"], []], ids=["key", "no key"])


def made(sandbox: RunningSandbox) -> int:
    return sum(
        row["acted"] for row in sandbox.requests() if row["method"] == "POST" and row["path"].endswith("/payments")
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "requests", "status", "outcome"),
    [("GET", 1, 130, "not_sent"), ("POST", 3, 6, "unknown")],
    ids=["looking", "sending"],
)
def test_who_interrupts_hears_how_far_it_got(
    sandbox: RunningSandbox,
    environment: dict[str, str],
    script: Path,
    method: str,
    requests: int,
    status: int,
    outcome: str,
) -> None:
    match = {"method": method, "path": "/v2/banking/payments"}
    sandbox.order("/faults", kind="slow", seconds=4, times=1, match=match)
    before = sandbox.look("/record")["received"]
    command = [str(script), *PAYMENT, "--key=lauf-1"]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_from_a_terminal,
    )
    deadline = time.monotonic() + 30
    while sandbox.look("/record")["received"] < before + requests:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, json.loads(out)["error"]["outcome"]) == (status, outcome)


@KEYS
def test_an_interrupt_after_the_answer_does_not_hide_the_result(
    sandbox: RunningSandbox, kontor_here: Kontor, monkeypatch: pytest.MonkeyPatch, key: list[str]
) -> None:
    record: Callable[..., Any] = write._record

    def interrupted(*given: Any, **more: Any) -> Any:
        yield from record(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "_record", interrupted)
    told: CommandResult = kontor_here(*PAYMENT, *key)
    assert (told.status, told.document["ok"], made(sandbox)) == (0, True, 1)
    assert told.document["output"]["id"]


@KEYS
def test_an_interrupt_while_it_waits_for_a_permit_is_told_as_not_sent(
    sandbox: RunningSandbox, kontor_here: Kontor, monkeypatch: pytest.MonkeyPatch, key: list[str]
) -> None:
    permit: Callable[..., Any] = write.Sending.wait_for_permit

    def interrupted(sending: Any) -> Any:
        if sending._call.writes:
            raise KeyboardInterrupt
        yield from permit(sending)

    monkeypatch.setattr(write.Sending, "wait_for_permit", interrupted)
    told: CommandResult = kontor_here(*PAYMENT, *key)
    assert (told.status, told.error["outcome"], made(sandbox)) == (130, "not_sent", 0)
