"""`kontor doctor`, `credits`, `new` and `sandbox`: looking after a credential, and building on Kontor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]


def states(document: Any, topic: str) -> list[str]:
    return [finding["state"] for finding in document["findings"] if finding["topic"] == topic]


def test_the_doctor_looks_at_everything_without_spending_or_changing_anything(kontor_here: Any, sandbox: Any) -> None:
    balance = sandbox.balance()
    ending = kontor_here("doctor", "--json")
    assert ending.status == 0
    document = ending.document
    assert document["ok"] is True
    topics = [
        "credential",
        "ledger connections",
        "rights",
        "webhook URL",
        "credits",
        "rate window",
        "wire names",
        "attention",
    ]
    assert list(dict.fromkeys(finding["topic"] for finding in document["findings"])) == topics
    assert sandbox.balance() == balance
    assert {one["method"] for one in sandbox.requests()} == {"GET"}


def test_every_status_of_the_permission_probe_has_its_own_remedy_in_both_languages(kontor_here: Any) -> None:
    findings = [
        finding for finding in kontor_here("doctor", "--json").document["findings"] if finding["topic"] == "rights"
    ]
    by_status: dict[str, set[str]] = {}
    for finding in findings:
        (status,) = {entry["status"] for entry in finding["details"]}
        if status != "ok":
            by_status.setdefault(status, set()).update(finding["remedy"].values())
    assert set(by_status) == {"permission", "expired", "error", "unknown"}
    assert all(len(remedies) == 2 for remedies in by_status.values())
    assert len(set().union(*by_status.values())) == 8


def test_rights_are_a_problem_when_no_ledger_connection_is_left_to_work_with(kontor_here: Any, sandbox: Any) -> None:
    for row in sandbox.api.get("/v2/ledger-rewe-read/connections").json()["connections"]:
        sandbox.try_order(f"/ledger-connections/{row['id']}", {"break": "ledger_endpoint_not_authorized"})
    ending = kontor_here("doctor", KONTOR_LANG="de")
    assert ending.status == 3
    assert "Neu verbinden hilft nicht" in ending.out


def test_the_doctor_says_at_once_that_the_key_is_wrong(kontor_here: Any) -> None:
    ending = kontor_here("doctor", "--json", KONTOR_API_KEY="a-key-that-is-wrong")
    assert ending.status == 3
    assert ending.error["kind"] == "key_refused"
    assert states(ending.document, "credential") == ["problem"]
    assert states(ending.document, "rights") == []


def test_the_doctor_tells_whether_the_webhook_url_was_set_from_here(kontor_here: Any, sandbox: Any) -> None:
    url = "https://hooks.muster.example/kontor"
    assert kontor_here("run", "set_webhook_url", "--set", f"webhook_url={url}", "--json").status == 0
    ours = kontor_here("doctor", "--json").document["findings"]
    assert next(one["details"] for one in ours if one["topic"] == "webhook URL") == {
        "url": "https://hooks.muster.example/[hidden]",  # a path often holds a secret
        "set_here": True,
    }
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": "https://other.example/hook/s3cret"})
    said = kontor_here("doctor").out
    assert "another tool or person" in said
    assert "s3cret" not in said


def test_the_doctor_lists_the_wire_names_that_were_given_and_all_on_demand(kontor_here: Any, tmp_path: Path) -> None:
    (tmp_path / "wire.yaml").write_text("payments: {limit: anzahl}\n")
    lines = kontor_here("doctor", "--wire", KONTOR_WIRE=str(tmp_path / "wire.yaml")).out.splitlines()
    assert any(line.split()[:2] == ["payments.limit", "anzahl"] for line in lines)
    assert any(line.split()[:2] == ["opos.cutoff", "stichtag"] for line in lines)
    assert any("not shown" in line for line in lines)


def test_credits_are_counted_by_day_and_action_and_bounded_by_a_budget(kontor_here: Any, ledger: str) -> None:
    run = ["run", "list_cash_books", "--set", f"ledger_connection={ledger}", "--json"]
    assert kontor_here(*run).status == 0
    account = kontor_here("credits", "--per-day", "2", "--hold-back", "10", "--json").document
    assert account["balance"] == 999
    (line,) = account["spent"]
    assert (line["action"], line["calls"], line["credits"]) == ("list_cash_books", 1, 1)
    assert account["forecast"]["per_day"] == 1
    assert account["budget"] == {"per_day": 2, "per_flow": None, "hold_back": 10}
    held = kontor_here(*run)
    assert (held.status, held.error["kind"], held.error["outcome"]) == (4, "budget_held", "not_sent")
    assert "Kassen auflisten" in kontor_here("credits", "--per-day", "none", KONTOR_LANG="de").out
    assert kontor_here(*run).status == 0
    assert kontor_here("credits", "--per-day", "-1", "--json").status == 2


@pytest.mark.parametrize("area", ["any", "banking", "ledger", "mobility"])
@pytest.mark.parametrize("kind", ["action", "trigger", "lookup"])
def test_new_writes_files_that_are_valid_from_the_first_moment(
    kontor_here: Any, tmp_path: Path, kind: str, area: str
) -> None:
    new = ["new", kind, "count_tickets", "--area", area, "--into", str(tmp_path), "--json"]
    manifest, cases, *handler = [tmp_path / name for name in kontor_here(*new).document["files"]]
    assert kontor_here("check", str(manifest), "--json").document == {"ok": True, "checked": 1, "problems": []}
    tree = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    assert (tree["id"], tree["area"]) == ("count_tickets", area)
    assert area == "any" or area in tree["request"]["path"]
    assert cases.exists()
    ran = kontor_here("check", str(tmp_path / "manifests"), "--cases", "--json").document
    assert (ran["ok"], ran["problems"]) == (True, [])
    assert ran["cases"] >= 2
    for path in handler:
        assert "class CountTickets(" in path.read_text(encoding="utf-8")
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
    assert [path.suffix for path in handler] == ([] if kind == "lookup" else [".py"])
    again = kontor_here(*new)
    assert (again.status, again.error["field"]) == (2, "id")


def test_new_writes_into_the_working_folder_or_the_one_of_further_manifests(
    kontor_here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    written = kontor_here("new", "action", "count_tickets", "--json").document["files"]
    assert written[0] == str(tmp_path / "here" / "manifests" / "actions" / "any" / "count_tickets.yaml")
    own = tmp_path / "own"
    shown = kontor_here("new", "action", "count_more", KONTOR_MANIFESTS=str(own)).out
    assert str(own / "actions" / "any" / "count_more.yaml") in shown
    listed = kontor_here("actions", "--json", KONTOR_MANIFESTS=str(own)).document["actions"]
    assert "count_more" in {one["id"] for one in listed}


def test_check_names_file_line_and_what_was_meant(kontor_here: Any, tmp_path: Path) -> None:
    kontor_here("new", "action", "count_tickets", "--into", str(tmp_path))
    manifest = tmp_path / "manifests/actions/any/count_tickets.yaml"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace("- pattern: {field: replace_me", "- patern: {field: replace_me")
    )
    ending = kontor_here("check", str(tmp_path / "manifests"), "--json")
    [problem] = ending.document["problems"]
    line = next(at for at, text in enumerate(manifest.read_text().splitlines(), 1) if "patern" in text)
    assert (ending.status, problem["file"], problem["line"]) == (2, str(manifest), line)
    assert "'pattern'" in problem["message"]


def test_check_runs_cases_and_says_which_fail_and_why(kontor_here: Any, tmp_path: Path) -> None:
    kontor_here("new", "action", "count_tickets", "--into", str(tmp_path))
    folder, cases = str(tmp_path / "manifests"), tmp_path / "tests" / "cases"
    missing = kontor_here("check", folder, "--cases", str(tmp_path / "nowhere"), "--json")
    assert (missing.status, missing.error["field"]) == (2, "--cases")
    file = cases / "count_tickets.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("method: GET", "method: POST"), encoding="utf-8")
    ending = kontor_here("check", folder, "--cases", "--json")
    [problem] = ending.document["problems"]
    assert (ending.status, problem["file"]) == (2, str(file))
    assert problem["message"] == "method: expected POST, found GET"
    assert "1 fail" in kontor_here("check", folder, "--cases").out
    file.write_text(text.replace("requests:", "request:", 1), encoding="utf-8")
    unreadable = kontor_here("check", folder, "--cases", str(cases), "--json")
    assert (unreadable.status, unreadable.error["field"]) == (2, "--cases")


def test_a_shared_input_that_is_not_there_is_told_with_the_one_that_was_meant(kontor_here: Any, tmp_path: Path) -> None:
    kontor_here("new", "action", "count_tickets", "--into", str(tmp_path))
    manifest = tmp_path / "manifests/actions/any/count_tickets.yaml"
    text = manifest.read_text(encoding="utf-8").replace("inputs:\n", "inputs:\n  - use: clientt\n", 1)
    manifest.write_text(text, encoding="utf-8")
    [problem] = kontor_here("check", str(manifest), "--json").document["problems"]
    assert (problem["where"], "'client'" in problem["message"]) == ("inputs[0].use", True)
    assert problem["line"] == next(at for at, line in enumerate(text.splitlines(), 1) if "clientt" in line)


def test_check_follows_references(kontor_here: Any, tmp_path: Path) -> None:
    kontor_here("new", "action", "count_tickets", "--into", str(tmp_path))
    manifest = tmp_path / "manifests/actions/any/count_tickets.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("{field: replace_me", "{field: replace_mee"))
    [problem] = kontor_here("check", str(manifest), "--json").document["problems"]
    assert (problem["where"], "'replace_me'" in problem["message"]) == ("rules[0].pattern.field", True)


@pytest.mark.parametrize("id", ["List", "a", "../up", "list-payments", "x" * 49, "import"])
def test_new_refuses_what_cannot_be_an_id(tmp_path: Path, id: str) -> None:
    from connector.core.errors import InputError
    from connector.interfaces.cli.commands.new import Place, write

    with pytest.raises(InputError):
        write("action", id, "any", Place.below(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_new_refuses_an_id_that_exists(kontor_here: Any) -> None:
    ending = kontor_here("new", "action", "list_payments", "--json")
    assert (ending.status, ending.error["field"]) == (2, "id")


def test_a_port_that_is_taken_is_an_input_error(kontor_here: Any, sandbox: Any) -> None:
    ending = kontor_here("sandbox", "--port", sandbox.url.rpartition(":")[2], "--json")
    assert (ending.status, ending.error["field"]) == (2, "--port")
