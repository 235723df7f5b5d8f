"""Without a host, some packages offer writes that duplicate only where asked to, and say so first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from connector import Connector
from connector.core.messages import say
from connector.export import make, openapi, power_automate
from connector.export.catalogue import export, is_unguarded, platforms
from connector.export.make.names import module_id
from connector.export.power_automate.names import operation_id
from connector.export.shape import Export, ExportOptions
from connector.interfaces.cli import main
from connector.runtime.session import Session
from tests.export.interpreter.make_engine import MakeEngine
from tests.export.interpreter.power_engine import PowerEngine
from tests.export.interpreter.rows import entered
from tests.support.filled_in import needed_inputs
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
FREE_CALL = "call_api"
DUPLICATING = frozenset(id for id, one in CONNECTOR.actions.items() if one.writes and one.repeat == "duplicates")
SENT_AGAIN = (408, 429, 500, 502, 503, 504)
"""The statuses after which Power Automate's own retry policy sends once more."""
each_package = pytest.mark.parametrize("package", [make, openapi, power_automate])
each_lang = pytest.mark.parametrize("lang", ["en", "de"])


def form_of(app: Export, id: str) -> list[dict[str, Any]]:
    name = module_id(CONNECTOR.action(id))
    found: list[dict[str, Any]] = json.loads(app.files[f"modules/{name}/{name}.mappable-params.iml.json"])
    return found


def readme_of(built: Export) -> str:
    return next(content for name, content in built.files.items() if name.lower() == "readme.md").decode()


@each_package
def test_writes_that_duplicate_are_left_out_with_the_reason(package: Any) -> None:
    built = package.build(CONNECTOR, ExportOptions())
    assert {"initiate_payment", "create_cash_book_entry"} <= DUPLICATING
    assert not built.holds["actions"] & (DUPLICATING - {FREE_CALL})
    reasons = {one.id: one.reason for one in built.dropped if one.kind == "action"}
    assert {id for id, reason in reasons.items() if reason == say("left_out_duplicates")} == DUPLICATING - {FREE_CALL}
    assert "set_webhook_url" in built.holds["actions"]  # repeating it changes nothing


@each_package
def test_they_come_where_they_were_asked_for_and_through_a_host(package: Any) -> None:
    for options in (ExportOptions(with_writes=True), ExportOptions(via="host")):
        assert package.build(CONNECTOR, options).holds["actions"] >= DUPLICATING - {FREE_CALL}


@each_package
@each_lang
def test_the_report_and_the_readme_say_first_what_that_means(package: Any, lang: Any) -> None:
    left_out, brought = say("export_without_writes"), say("export_with_writes")
    for options, note in (
        (ExportOptions(lang=lang), left_out),
        (ExportOptions(lang=lang, with_writes=True), brought),
    ):
        built = package.build(CONNECTOR, options)
        assert list(built.report())[:2] == ["platform", "notes"]
        assert built.report()["notes"] == [note.en]
        assert readme_of(built).splitlines()[2:5] == [f"> {note.en}", "", f"> {note.de}"]
    assert package.build(CONNECTOR, ExportOptions(lang=lang, via="host", with_writes=True)).notes == ()


@each_lang
def test_the_form_says_it_before_anything_else(lang: Any) -> None:
    app = make.build(CONNECTOR, ExportOptions(lang=lang, with_writes=True))
    connector = PowerEngine(power_automate.build(CONNECTOR, ExportOptions(lang=lang, with_writes=True)), {})
    warning = say("export_write_unsafe").in_(lang)
    for id in DUPLICATING - {FREE_CALL}:
        first = form_of(app, id)[0]
        assert (first["type"], first["text"], first["closable"]) == ("banner", warning, False)
    for id in DUPLICATING - {FREE_CALL}:
        assert connector.operations[operation_id(CONNECTOR.action(id))][2]["description"].startswith(warning)
    through_host = make.build(CONNECTOR, ExportOptions(lang=lang, via="host"))
    assert not [one for one in form_of(through_host, "initiate_payment") if one["type"] == "banner"]


@pytest.mark.parametrize("with_writes", [False, True])
def test_the_call_to_any_path_only_reads_without_a_host(with_writes: bool, sandbox: RunningSandbox) -> None:
    app = make.build(CONNECTOR, ExportOptions(with_writes=with_writes))
    form = {one["name"]: one for one in form_of(app, FREE_CALL)}
    assert [option["value"] for option in form["method"]["options"]] == ["GET"]
    assert "body" not in form
    assert f"{FREE_CALL}.method" in {one.id for one in app.dropped}
    engine = MakeEngine(app, {"apiKey": "sandbox-key", "baseUrl": sandbox.url})
    [answer] = engine.run(module_id(CONNECTOR.action(FREE_CALL)), {"method": "GET", "path": "/v2/banking/accounts"})
    assert answer["body"]["data"]
    all_methods = form_of(make.build(CONNECTOR, ExportOptions(via="host")), FREE_CALL)
    assert {option["value"] for one in all_methods if one["name"] == "method" for option in one["options"]} > {"POST"}


@pytest.mark.parametrize("status", SENT_AGAIN)
def test_power_automate_gets_no_answer_to_a_write_that_it_would_repeat(
    status: int, sandbox: RunningSandbox, power_session: Session, power_engine: PowerEngine
) -> None:
    action = CONNECTOR.action("initiate_payment")
    given, body = entered(action, needed_inputs(action, power_session), power_session.credential.wire)
    sandbox.order("/faults", kind="answer_after", status=status, match={"method": "POST"})
    answer = power_engine.answer(operation_id(action), given, body)
    assert answer.status_code == 424
    assert answer.json()["status"] == status
    assert answer.json()["message"] == say("power_not_repeated").en


def test_power_automate_hands_on_what_it_does_not_repeat(power_session: Session, power_engine: PowerEngine) -> None:
    action = CONNECTOR.action("initiate_payment")
    given, body = entered(action, needed_inputs(action, power_session), power_session.credential.wire)
    assert power_engine.answer(operation_id(action), given, body).status_code in (200, 201)


def test_every_write_of_power_automate_goes_through_the_script_that_keeps_it_from_being_repeated() -> None:
    built = power_automate.build(CONNECTOR, ExportOptions(with_writes=True))
    routes = PowerEngine(built, {}).routes
    for id in built.holds["actions"]:
        action = CONNECTOR.action(id)
        assert ("once" in routes.get(operation_id(action), {})) == action.writes
    script = built.files["script.csx"].decode()
    assert "status != 408 && status != 429 && status < 500" in script
    assert "(HttpStatusCode)424" in script


def test_only_ways_without_key_and_look_up_ask_for_it() -> None:
    unguarded = {(name, via) for name in platforms() for via in ("service", "host") if is_unguarded(name, via)}
    assert unguarded == {("make", "service"), ("openapi", "service"), ("power-automate", "service")}
    for name in ("n8n", "zapier"):
        assert export(name, CONNECTOR, ExportOptions()).holds["actions"] >= DUPLICATING


@pytest.mark.parametrize("platform", ["make", "openapi", "power-automate"])
def test_the_command_line_brings_them_and_says_so_first(
    platform: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", platform, "-o", str(tmp_path / "without"), "--lang", "en"]) == 0
    assert say("export_without_writes").en in capsys.readouterr().out.splitlines()[1]
    assert main(["export", platform, "-o", str(tmp_path / "with"), "--with-writes", "--lang", "en"]) == 0
    assert say("export_with_writes").en in capsys.readouterr().out.splitlines()[1]
    held = [json.loads((tmp_path / name / "kontor-report.json").read_text()) for name in ("without", "with")]
    assert "initiate_payment" not in held[0]["holds"]["actions"]
    assert "initiate_payment" in held[1]["holds"]["actions"]
