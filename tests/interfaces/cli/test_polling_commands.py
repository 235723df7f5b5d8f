from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from connector.client import key_states
from connector.core.service.credential import Credential
from connector.core.timing import BeatObserver
from connector.core.values import json
from connector.interfaces.cli.output import OutputLost, must_arrive
from connector.sandbox.banking.demo import HOUSE_BANK
from connector.store import open_database
from connector.store.database import leases
from connector.store.triggers import deliveries, subscriptions
from tests.interfaces.cli.kontor_command import as_from_a_terminal

pytestmark = pytest.mark.long

Kontor = Callable[..., Any]
SET = ("--set", f"connection_id={HOUSE_BANK}")


@pytest.fixture(autouse=True)
def _own_rate_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_states, "_by_key", {})


def test_a_poll_keeps_its_place_from_one_process_to_the_next(kontor: Kontor, sandbox: Any) -> None:
    first = kontor("poll", "new_transaction", *SET, "--json").document
    assert (first["ok"], first["items"], first["credits"]["cost"]) == (True, [], 1)
    arrived = [row["id"] for row in sandbox.order("/transactions", count=3)["data"]]
    second = kontor("poll", "new_transaction", *SET, "--json").document
    assert [item["_id"] for item in second["items"]] == arrived
    assert int(second["cursor"].partition("~")[0]) == int(arrived[-1])


def test_a_poll_always_asks_and_starts_where_it_is_told(kontor_here: Kontor, sandbox: Any) -> None:
    arrived = [row["id"] for row in sandbox.order("/transactions", count=2)["data"]]
    since = str(int(arrived[0]) - 1)
    found = kontor_here("poll", "new_transaction", *SET, "--start", f"since:{since}", "--name", "n", "--json").document
    assert [item["_id"] for item in found["items"]] == arrived
    again = kontor_here("poll", "new_transaction", *SET, "--start", "all", "--name", "n", "--json").document
    assert again["items"] == []
    assert len([entry for entry in sandbox.requests() if entry["credits_charged"]]) == 2


def test_people_see_a_table_and_what_it_cost(kontor_here: Kontor, sandbox: Any) -> None:
    kontor_here("poll", "new_transaction", *SET)
    sandbox.order("/transactions", amount="1234.5")
    shown = kontor_here("poll", "new_transaction", *SET)
    assert shown.status == 0
    assert "1,234.50" in shown.out
    assert "1 credit" in shown.out


def test_a_name_belongs_to_one_trigger(kontor_here: Kontor) -> None:
    kontor_here("poll", "new_bank_account", "--name", "mine", "--json")
    ending = kontor_here("poll", "new_payment", "--name", "mine", "--json")
    assert (ending.status, ending.error["field"]) == (2, "name")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("poll", "new_transaction"), "connection_id"),
        (("poll", "new_transaction", *SET, "--start", "yesterday"), "start"),
        (("poll", "payment_settled"), "trigger"),
        (("poll", "new_payment", "--name", ""), "name"),
        (("watch", "new_payment", "--every", "1"), "--every"),
        (("subscriptions", "show"), "id"),
        (("subscriptions", "show", "unknown"), "id"),
        (("subscriptions", "replay", "77"), "id"),
    ],
)
def test_wrong_input_is_named(kontor_here: Kontor, arguments: tuple[str, ...], field: str) -> None:
    ending = kontor_here(*arguments, "--json")
    assert (ending.status, ending.error["field"]) == (2, field)


@pytest.fixture
def died_polling(sandbox: Any, environment: dict[str, str]) -> None:
    """A process died in the middle of a poll, and its clock was a day ahead."""
    name = f"poll:{Credential(sandbox.url, environment['KONTOR_API_KEY']).fingerprint}:mine"
    database = open_database(environment["KONTOR_DATA"])
    lease = database.write(lambda c: leases.acquire(c, name, "dead", BeatObserver(), 0.0)).result()
    assert lease is not None
    database.close()


@pytest.mark.slow
def test_a_poll_after_a_crash_waits_some_seconds_and_says_so(kontor: Kontor, died_polling: None) -> None:
    began = time.monotonic()
    ending = kontor("poll", "new_bank_account", "--name", "mine", "--json")
    assert (ending.status, ending.document["ok"]) == (0, True)
    assert "within 20 s" in ending.err
    assert 19 < time.monotonic() - began < 60


@pytest.mark.slow
def test_a_poll_that_another_process_is_at_is_refused_soon(
    kontor: Kontor, sandbox: Any, environment: dict[str, str]
) -> None:
    sandbox.order("/faults", kind="slow", seconds=25, times=1, match={"path": "/v2/banking/accounts"})
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(kontor, "poll", "new_bank_account", "--name", "mine", "--json")
        while not any("/accounts" in entry["path"] for entry in sandbox.requests()):
            time.sleep(0.05)
        began = time.monotonic()
        second = kontor("poll", "new_bank_account", "--name", "mine", "--json")
        assert (second.error["kind"], second.error["retryable"]) == ("busy", True)
        assert time.monotonic() - began < 12
        assert first.result().status == 0


def test_watch_prints_items_as_they_come_and_ends_cleanly(
    script: Path, environment: dict[str, str], sandbox: Any
) -> None:
    command = [script, "watch", "new_bank_account", "--start", "all", "--json"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=as_from_a_terminal
    )
    try:
        assert process.stdout is not None
        document = json.decode(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert document["items"]
    assert process.returncode == 0
    assert err == b""


def test_subscriptions_are_listed_shown_ended_and_their_dead_letters_replayed(
    kontor_here: Kontor, environment: dict[str, str]
) -> None:
    database, now = open_database(environment["KONTOR_DATA"]), datetime.now(UTC)

    def enter(connection: Any) -> tuple[str, int]:
        one = subscriptions.create_once(
            connection,
            digest=None,
            credential_id="c",
            trigger="new_payment",
            inputs={},
            target_url="https://flow.example/hook",
            sealed_secret="sealed",
            now=now,
        )
        deliveries.enqueue(connection, one.id, "item-1", "{}", now)
        owed = deliveries.listed(connection, None, one.id)[0]
        deliveries.mark_failed(connection, owed, 500, "500 every time", None)
        return one.id, owed.id

    id, owed = database.write(enter).result()
    database.close()
    listed = kontor_here("subscriptions", "--json").document["subscriptions"]
    assert [(one["id"], one["state"]) for one in listed] == [(id, "active")]
    assert "sealed" not in kontor_here("subscriptions", "show", id, "--json").out
    assert [one["id"] for one in kontor_here("subscriptions", "dead", "--json").document["deliveries"]] == [owed]
    assert "500 every time" in kontor_here("subscriptions", "dead").out
    assert kontor_here("subscriptions", "replay", str(owed), "--json").document["replayed"] is True
    assert kontor_here("subscriptions", "deliveries", id, "--json").document["deliveries"][0]["state"] == "waiting"
    secrets = [kontor_here("subscriptions", "secret", id, "--json").document["secret"] for _ in range(2)]
    assert secrets[0].startswith("whsec_")
    assert secrets[0] != secrets[1]
    assert not {*secrets} & {*kontor_here("subscriptions", "show", id).out.split()}
    assert kontor_here("subscriptions", "pause", id, "--json").document["paused"] is True
    assert "paused" in kontor_here("subscriptions", "list").out
    assert "goes on" in kontor_here("subscriptions", "resume", id).out
    assert kontor_here("subscriptions", "resume", id, "--json").document["resumed"] is False
    assert kontor_here("subscriptions", "end", id, "--json").document["ended"] is True
    assert kontor_here("subscriptions", "pause", id, "--json").status == 2
    assert kontor_here("subscriptions", "secret", id, "--json").status == 2
    assert "ended (by hand)" in kontor_here("subscriptions", "list").out


def _full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


def _pipe_without_a_reader() -> int:
    reads, writes = os.pipe()
    os.close(reads)
    return writes


@pytest.mark.parametrize(("output", "form"), [(_full_disk, ["--json"]), (_pipe_without_a_reader, [])])
def test_items_whose_output_was_lost_are_told_again(
    script: Path,
    environment: dict[str, str],
    kontor_here: Kontor,
    sandbox: Any,
    output: Callable[[], int],
    form: list[str],
) -> None:
    kontor_here("poll", "new_transaction", *SET)
    arrived = [row["id"] for row in sandbox.order("/transactions", count=2)["data"]]
    into = output()
    lost = subprocess.run(
        [script, "poll", "new_transaction", *SET, *form],
        env=environment,
        stdout=into,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(into)
    assert lost.returncode == 1
    assert b"the same command tells these items again" in lost.stderr
    assert b"Traceback" not in lost.stderr
    later = [row["id"] for row in sandbox.order("/transactions", count=1)["data"]]
    again = kontor_here("poll", "new_transaction", *SET, "--json").document
    assert [item["_id"] for item in again["items"]] == arrived + later
    assert kontor_here("poll", "new_transaction", *SET, "--json").document["items"] == []


def test_items_of_a_process_that_died_before_it_printed_are_told_by_watch(
    kontor_here: Kontor, monkeypatch: pytest.MonkeyPatch, sandbox: Any
) -> None:
    kontor_here("poll", "new_transaction", *SET)
    arrived = [row["id"] for row in sandbox.order("/transactions", count=2)["data"]]

    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr("connector.interfaces.cli.commands.poll.print_items", die)
        kontor_here("poll", "new_transaction", *SET)
    told: list[str] = []

    def show(document: dict[str, Any]) -> None:
        told.extend(item["_id"] for item in document["items"])
        raise KeyboardInterrupt

    with monkeypatch.context() as watching:
        watching.setattr("connector.interfaces.cli.commands.watch.print_json", show)
        kontor_here("watch", "new_transaction", *SET, "--json")
    assert told == arrived


@pytest.mark.parametrize("reader_stays", [True, False])
def test_a_reader_who_left_early_counts_only_where_items_would_be_lost(
    monkeypatch: pytest.MonkeyPatch, reader_stays: bool
) -> None:
    """As with `| head -1`: what a write has done must not be called lost when its result was read."""
    reads, writes = os.pipe()
    with os.fdopen(writes, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        with (
            pytest.raises(OutputLost) if reader_stays else nullcontext(),
            must_arrive("told again", reader_stays=reader_stays),
        ):
            pipe.write("one line\n")
            pipe.flush()
            assert os.read(reads, 100) == b"one line\n"
            os.close(reads)
        monkeypatch.undo()
