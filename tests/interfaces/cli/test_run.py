"""`kontor run` and `kontor options` against the sandbox: inputs, results, keys, dry runs, exit statuses."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.long

RECEIPT = b"%PDF-1.4 receipt"


def test_a_result_is_one_document_with_cost_and_balance(kontor: Any, ledger: str) -> None:
    ending = kontor("run", "list_cash_books", "--set", f"ledger_connection={ledger}", "--json")
    assert ending.status == 0
    assert ending.err == ""
    document = ending.document
    assert list(document) == ["ok", "action", "output", "credits", "replayed", "run", "warnings"]
    assert document["action"] == "list_cash_books"
    assert {"bezeichnung": "Ladenkasse"} in document["output"]["items"]
    assert document["credits"]["cost"] == 1
    assert document["credits"]["balance"] == 999
    assert document["replayed"] is False


def test_people_see_amounts_aligned_and_in_their_language(kontor: Any, sandbox: Any) -> None:
    accounts = sandbox.api.get("/v2/banking/accounts").json()["data"]
    shown = [f"{Decimal(str(account['balance'])):,.2f}" for account in accounts]
    english, german = kontor("run", "list_bank_accounts"), kontor("run", "list_bank_accounts", KONTOR_LANG="de")
    rows = english.out.splitlines()[1 : 1 + len(accounts)]
    ends = {row.index(amount) + len(amount) for row, amount in zip(rows, shown, strict=True)}
    assert len(ends) == 1
    for amount in shown:
        assert amount.translate(str.maketrans(",.", ".,")) in german.out
    assert "List bank accounts: free" in english.err
    assert "Kosten: kostenlos." in german.out


def test_inputs_come_from_a_file_and_set_wins(kontor: Any, entry: list[str], ledger: str, tmp_path: Path) -> None:
    inputs = {"kassenname": "Werkstattkasse", "betrag": "1", "belegzeilen": [{"belegtext": "from the file"}]}
    (tmp_path / "entry.json").write_text(json.dumps(inputs))
    (tmp_path / "receipt.pdf").write_bytes(RECEIPT)
    images = ["--set", "belegbilder[0].content=@receipt.pdf", "--set", "belegbilder[0].dateiname=receipt.pdf"]
    ending = kontor("run", "create_cash_book_entry", "--input", "@entry.json", *entry, *images, "--json")
    assert ending.status == 0
    output = ending.document["output"]
    assert output["kassenname"] == "Ladenkasse"
    assert [line["belegtext"] for line in output["belegzeilen"]] == ["from the file", None]
    assert output["belegbilder"][0]["groesse"] == len(RECEIPT)


def test_inputs_come_from_standard_input(kontor: Any, ledger: str) -> None:
    inputs = json.dumps({"ledger_connection": ledger, "folder_type": "EINGANGSRECHNUNG"}).encode()
    document = kontor("run", "list_invoice_folders", "--input", "-", "--json", stdin=inputs).document
    assert {row["ordnertyp"] for row in document["output"]["items"]} == {"EINGANGSRECHNUNG"}


def test_a_dry_run_shows_the_request_and_sends_nothing(kontor: Any, sandbox: Any, entry: list[str]) -> None:
    before = sandbox.requests()
    ending = kontor("run", "create_cash_book_entry", *entry, "--dry-run", "--json")
    people = kontor("run", "create_cash_book_entry", *entry, "--dry-run")
    assert sandbox.requests() == before
    request = ending.document["output"]
    assert request["method"] == "POST"
    assert request["headers"]["x-api-key"] == "[hidden]"
    assert request["body"]["betrag"] == Decimal("119.00")
    assert ending.document["dry_run"] is True
    assert "POST " in people.out
    assert "nothing was sent" in people.out


def test_the_same_key_happens_once(kontor: Any, sandbox: Any, entry: list[str]) -> None:
    first = kontor("run", "create_cash_book_entry", *entry, "--key", "run-1/step-1", "--json").document
    second = kontor("run", "create_cash_book_entry", *entry, "--key", "run-1/step-1", "--json").document
    assert (first["replayed"], second["replayed"]) == (False, True)
    assert first["output"] == second["output"]
    assert sum(1 for one in sandbox.requests() if one["method"] == "POST") == 1


def test_options_are_values_with_labels(kontor: Any, ledger: str) -> None:
    found = kontor(
        *("options", "ledger_connections", "--set", "module=rewe", "--search", "nordlicht fahrrad", "--json")
    ).document
    assert found["options"] == [{"value": ledger, "label": "Nordlicht Fahrradhandel GmbH", "hint": "Connected"}]
    assert found["cached"] is False
    assert "Ladenkasse" in kontor("options", "cash_books", "--set", f"ledger_connection={ledger}").out


def test_options_come_in_pages(kontor: Any) -> None:
    first = kontor("options", "currencies", "--limit", "2", "--json").document
    assert len(first["options"]) == 2
    assert first["next"] == first["options"][-1]["value"]
    second = kontor("options", "currencies", "--limit", "1", "--after", first["next"])
    assert first["next"] not in second.out.split("--after")[0].split()
    assert "--after" in second.out
    for arguments, field in ((("--limit", "0"), "limit"), (("--limit", "x"), "limit"), (("--after", "XXXX"), "after")):
        refused = kontor("options", "currencies", *arguments, "--json")
        assert (refused.status, refused.error["field"]) == (2, field)


def test_bad_input_names_the_field_and_sends_nothing(kontor_here: Any, sandbox: Any, entry: list[str]) -> None:
    before = sandbox.requests()
    for arguments, field in (
        (["create_cash_book_entry", *entry, "--set", "belegzeilen[1].betrag=18,500"], "belegzeilen[1].betrag"),
        (["create_cash_book_entry", *entry, "--set", "belegzeilen[1].betrag=18.51"], "betrag"),
        (["create_cash_book_entry", "--input", "[1]"], "--input"),
        (["create_cash_book_entry", "--input", "@nowhere.json"], "--input"),
        (["create_cash_book_entry", "--set", "belegbilder[0].content=@nowhere.pdf"], "belegbilder[0].content"),
        (["no_such_action"], "action"),
    ):
        ending = kontor_here("run", *arguments, "--json")
        assert (ending.status, ending.error["kind"], ending.error["field"]) == (2, "input", field)
    assert sandbox.requests() == before


def test_an_error_is_told_to_people_on_stderr_in_their_language(kontor: Any) -> None:
    ending = kontor("run", "get_transaction", KONTOR_LANG="de")
    assert ending.status == 2
    assert ending.out == ""
    assert "erforderlich" in ending.err


def test_a_missing_credential_is_the_users_input(kontor: Any) -> None:
    ending = kontor("run", "list_payments", "--json", KONTOR_BASE_URL="")
    assert (ending.status, ending.error["field"]) == (2, "base_url")


def test_a_refused_key_ends_with_3(kontor: Any) -> None:
    ending = kontor("run", "list_payments", "--json", KONTOR_API_KEY="a-key-that-is-wrong")
    assert (ending.status, ending.error["kind"]) == (3, "key_refused")


def test_a_used_up_window_ends_with_4_and_says_until_when(kontor: Any, sandbox: Any) -> None:
    sandbox.order("/limits", limit=0, window=900)
    ending = kontor("run", "list_payments", "--json")
    assert (ending.status, ending.error["kind"]) == (4, "rate_limited")
    assert ending.error["retry_at"]


def test_an_answer_that_cannot_be_read_ends_with_5(kontor: Any, sandbox: Any) -> None:
    sandbox.order("/faults", kind="malformed", times=None)
    ending = kontor("run", "list_payments", "--json")
    assert (ending.status, ending.error["kind"]) == (5, "bad_reply")


def test_a_write_without_an_answer_ends_with_6_is_parked_and_can_be_settled(
    kontor: Any, sandbox: Any, entry: list[str]
) -> None:
    run = ["run", "create_cash_book_entry", *entry, "--key", "run-2", "--json"]
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    ending = kontor(*run)
    assert (ending.status, ending.error["kind"], ending.error["outcome"]) == (6, "outcome_unknown", "unknown")
    (unknown,) = kontor("runs", "--state", "unknown", "--json").document["runs"]
    assert (unknown["key"], unknown["action"]) == ("run-2", "create_cash_book_entry")
    assert "run-2" in kontor("runs").out
    assert kontor("runs", "show", unknown["id"], "--json").document["run"] == unknown
    assert kontor(*run).status == 6
    settled = kontor("runs", "settle", unknown["id"], "--happened", "--note", "seen in the books", "--json")
    assert settled.document["run"]["state"] == "settled"
    assert settled.document["run"]["outcome"]["note"] == "seen in the books"
    assert kontor("runs", "--state", "unknown", "--json").document == {"ok": True, "runs": []}
    assert sum(1 for one in sandbox.requests() if one["method"] == "POST") == 1


@pytest.mark.parametrize("ending", [RuntimeError, KeyboardInterrupt])
def test_a_write_that_ends_in_the_middle_is_never_told_as_not_done(
    kontor_here: Any, entry: list[str], monkeypatch: pytest.MonkeyPatch, ending: type[BaseException]
) -> None:
    def broken_off(*_: Any, **__: Any) -> None:
        raise ending

    monkeypatch.setattr("connector.runtime.session.Session.invoke", broken_off)
    found = kontor_here("run", "create_cash_book_entry", *entry, "--json")
    assert (found.status, found.error["outcome"]) == (6, "unknown")


def test_settling_what_is_not_parked_is_an_input_error(kontor_here: Any) -> None:
    assert kontor_here("runs", "settle", "nothing", "--not-happened", "--json").error["kind"] == "not_found"
    assert kontor_here("runs", "settle", "nothing", "--json").error["field"] == "--happened|--not-happened"


def test_a_state_folder_that_cannot_be_opened_is_found_before_anything_is_sent(
    kontor: Any, sandbox: Any, entry: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    before = sandbox.requests()
    ending = kontor("run", "create_cash_book_entry", *entry, "--json", KONTOR_DATA=str(tmp_path / "file"))
    assert (ending.status, ending.error["field"]) == (2, "KONTOR_DATA")
    assert sandbox.requests() == before


def test_what_takes_longer_than_a_second_shows_progress_and_leaves_no_trace(
    script: Path, environment: dict[str, str], sandbox: Any, ledger: str, tmp_path: Path
) -> None:
    sandbox.order("/faults", kind="slow", seconds=1.6, match={"path": "/v2/ledger-rewe-read/opos"})
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [script, "run", "get_open_items", "--set", f"ledger_connection={ledger}"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as kontor:
        os.close(theirs)
        out, _ = kontor.communicate(timeout=60)
    shown = _everything(ours)
    assert "1 s of about 20 s" in shown
    assert shown.endswith("\r\x1b[K")
    assert b"Sum of debtors" in out


def _everything(handle: int) -> str:
    """All that was written to a terminal whose other end is closed."""
    found = b""
    try:
        while more := os.read(handle, 4096):
            found += more
    except OSError:  # Linux says so when nobody is left to write
        pass
    finally:
        os.close(handle)
    return found.decode()


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_write_whose_output_is_lost_names_its_run_and_fails(
    script: Path, environment: dict[str, str], kontor: Any, entry: list[str], form: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [script, "run", "create_cash_book_entry", *entry, *form],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    told = done.stderr.decode()
    [run] = kontor("runs", "--json").document["runs"]
    assert done.returncode == 1
    assert "could not be written" in told
    assert f"kontor runs show {run['id']}" in told
    assert "Traceback" not in told
    assert run["state"] == "done"


def test_a_list_that_cannot_be_written_fails_without_a_traceback(script: Path, environment: dict[str, str]) -> None:
    for command in (["actions", "--json"], ["describe", "call_api"], ["run", "list_bank_accounts", "--json"]):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([script, *command], env=environment, stdout=full, stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == 1, command
        assert b"could not be written" in done.stderr, command
        assert b"Traceback" not in done.stderr, command


@pytest.mark.parametrize("inputs", ['{"id": "1", "id": "2"}', '{"path": "/v2/x", "query": {"id": "1", "id": "2"}}'])
def test_a_member_that_is_given_twice_is_refused_by_name(kontor_here: Any, inputs: str) -> None:
    ending = kontor_here("run", "get_payment", "--input", inputs, "--dry-run", "--json")
    assert ending.status == 2
    assert ending.error["field"] == "id"
    assert "given twice" in ending.error["message"]


def test_runs_are_told_in_the_callers_language(kontor: Any, sandbox: Any, entry: list[str]) -> None:
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    run = kontor("run", "create_cash_book_entry", *entry, "--key", "lauf-1", "--json", KONTOR_LANG="de")
    listed, shown = (kontor(*words, KONTOR_LANG="de").out for words in (["runs"], ["runs", "show", "lauf-1"]))
    assert run.status == 6
    for out in (listed, shown):
        assert "Ausgang ungeklärt" in out
        assert "Gegenkonto: 8400" in out
        assert "100,50" in out
        for name in ("kassenname", "belegzeilen", "transaktionsdatum", "unknown", "gegenkonto"):
            assert name not in out


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_warnings_are_told_beside_the_result(kontor: Any, entry: list[str], more: list[str]) -> None:
    odd = [*entry, "--set", "belegzeilen[1].gegenkonto=84A0", *more]
    assert "besteht nicht aus Ziffern" in kontor("run", "create_cash_book_entry", *odd, KONTOR_LANG="de").out


def test_a_list_of_runs_is_read_page_by_page_to_its_end(
    kontor_here: Any, entry: list[str], where: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connector.operations.runs.PAGE_SIZE", 2)
    keys = [f"lauf-{number}" for number in range(5)]
    for key in keys:
        assert kontor_here("run", "create_cash_book_entry", *entry, "--key", key, "--json").status == 0
    listed = kontor_here("runs", "--json", **where).document["runs"]
    assert [run["key"] for run in listed] == keys
    done = kontor_here("runs", "--state", "done", "--action", "create_cash_book_entry", "--json", **where).document
    assert done["runs"] == listed


@pytest.fixture
def unknown_with_two_that_wait(kontor_here: Any, sandbox: Any, entry: list[str], where: dict[str, str]) -> str:
    """A run of unknown outcome, and two equal ones under other keys, held back."""
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "POST"})
    run = ["run", "create_cash_book_entry", *entry, "--json", "--key"]
    lost = kontor_here(*run, "run-1")
    assert lost.status == 6
    for key in ("run-2", "run-3"):
        held = kontor_here(*run, key)
        assert (held.status, held.error["details"]["run"]) == (2, lost.error["details"]["run"])
    return str(lost.error["details"]["run"])


def test_what_waits_for_an_unknown_run_is_shown_and_decided_with_it(
    kontor_here: Any, sandbox: Any, unknown_with_two_that_wait: str, where: dict[str, str]
) -> None:
    id = unknown_with_two_that_wait
    waiting = kontor_here("runs", "show", id, "--json", **where).document["run"]["waiting"]
    assert (waiting["count"], waiting["sum"]) == (2, Decimal("238.00"))
    assert "2, 238.00 in all" in kontor_here("runs", "show", id, **where).out
    assert "2, zusammen 238,00" in kontor_here("runs", "show", id, KONTOR_LANG="de", **where).out
    seen_otherwise = kontor_here("runs", "settle", id, "--happened", "--release", "--waiting", "1", "--json", **where)
    assert (seen_otherwise.status, seen_otherwise.error["field"]) == (2, "waiting")
    settled = kontor_here("runs", "settle", id, "--happened", **where)
    assert "2, 238.00 in all" in settled.out
    assert f"kontor runs settle {id} --happened --release" in settled.out
    decided = kontor_here("runs", "settle", id, "--happened", "--no-release", "--waiting", "2", "--json", **where)
    assert "waiting" not in decided.document["run"]
    assert kontor_here("runs", "show", "run-2", "--json", **where).document["run"]["state"] == "rejected"
    assert sum(one["method"] == "POST" for one in sandbox.requests()) == 1


@pytest.mark.parametrize(("answer", "state"), [("y", "refused"), ("j", "refused"), ("n", "rejected"), ("", "refused")])
def test_at_a_terminal_it_is_asked_once_with_number_and_sum(
    kontor_here: Any,
    unknown_with_two_that_wait: str,
    where: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    state: str,
) -> None:
    asked: list[str] = []

    def typed(question: str) -> str:
        asked.append(question)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", typed)
    settled = kontor_here("runs", "settle", unknown_with_two_that_wait, "--not-happened", **where)
    assert (settled.status, len(asked)) == (0, 1)
    assert "Equal writes that wait for this run: 2, 238.00 in all." in settled.out
    assert ("To decide about all of them at once" in settled.out) is (answer == "")
    if state == "rejected" or not where:  # a host sends what is released
        assert kontor_here("runs", "show", "run-2", "--json", **where).document["run"]["state"] == state


def test_what_waits_is_decided_only_when_something_is_settled(kontor_here: Any) -> None:
    for more in (["--release"], ["--no-release"], ["--waiting", "2"]):
        assert kontor_here("runs", *more, "--json").error["field"] == "settle"


def test_all_that_is_wrong_is_told_at_once(kontor_here: Any, sandbox: Any) -> None:
    wrong = ("run", "initiate_payment", "--set", "amount=1e3", "--set", "amont=3")
    ending = kontor_here(*wrong)
    assert ending.status == 2
    lines = ending.err.strip().splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith("→") and ": " in line][-5:] == [
        "account_id",
        "creditor_name",
        "creditor_iban",
        "amount",
        "amont",
    ]
    german = kontor_here(*wrong, KONTOR_LANG="de").err
    assert "creditor_name: „Empfänger“ ist erforderlich." in german
    problems = kontor_here(*wrong, "--json").error["details"]["problems"]
    assert [problem["field"] for problem in problems] == [
        "account_id",
        "creditor_name",
        "creditor_iban",
        "amount",
        "amont",
    ]
    assert not sandbox.requests()


@pytest.mark.parametrize(
    ("arguments", "german"),
    [
        (["serve", "--port", "x"], "--port: 'x' ist keine Zahl."),
        (["run", "a", "--set"], "--set: Es muss ein Wert folgen."),
        (["audit", "x"], "verify|export: 'x' ist nicht dabei. Zur Wahl stehen 'verify', 'export'."),
        (["run", "a", "--dry-run=x"], "--dry-run: Es nimmt keinen Wert, also nicht 'x'."),
    ],
)
def test_a_misused_argument_is_told_in_german(kontor_here: Any, arguments: list[str], german: str) -> None:
    ending = kontor_here(*arguments, KONTOR_LANG="de")
    assert ending.status == 2
    assert german in ending.err
