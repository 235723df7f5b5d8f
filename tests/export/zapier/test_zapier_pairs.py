"""A search is paired with a create only where it finds what the create would make."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from connector import Connector
from connector.export import zapier
from connector.export.shape import ExportOptions
from connector.export.zapier.rules import lint

CONNECTOR = Connector("unused")
CREATES = [id for id, action in CONNECTOR.actions.items() if action.writes]
NUMBER = "personenkontoNummer"


def with_a_read(monkeypatch, **changes):
    """A connector for a service that shows one person account by its number."""
    tree = copy.deepcopy(dict(CONNECTOR.action("get_payment").raw))
    tree |= {"id": "get_person_account", "role": "person_account"}
    tree["request"] = {"method": "GET", "path": f"/v2/ledger-rewe-read/personenkonto/{{{changes.get('name', NUMBER)}}}"}
    tree["inputs"] = [{**tree["inputs"][0], "name": NUMBER, **changes}]
    tree["output"] = {"resource": "PersonAccount", "list": False}
    connector = Connector("unused")
    monkeypatch.setitem(connector._trees["actions"], "get_person_account", tree)
    return connector


def built(connector, **options):
    export = zapier.build(connector, ExportOptions(**options))
    return json.loads(export.files["kontor-app.json"]), export


def reasons(export):
    return {one.id: one.reason for one in export.dropped if one.kind == "pair"}


@pytest.mark.parametrize("via", ["service", "host"])
def test_every_create_has_a_pair_or_the_report_says_why_it_has_none(via):
    app, export = built(CONNECTOR, via=via)
    assert set(reasons(export)) | export.holds["pairs"] == set(CREATES)
    assert "searchOrCreates" not in app
    assert all(reason.en and reason.de for reason in reasons(export).values())


def test_what_nothing_finds_is_returned_by_no_read_dropdown_or_trigger():
    """The premise of the reason: were there a read, the reason would be another one."""
    unfound = [id for id, reason in reasons(built(CONNECTOR)[1]).items() if "Nothing finds" in reason.en]
    assert {"create_cash_book_entry", "save_person_account", "create_collective_invoice"} < set(unfound)
    reading = [one for one in CONNECTOR.actions.values() if not one.writes] + list(CONNECTOR.triggers.values())
    for id in unfound:
        resource = CONNECTOR.action(id).resource
        assert resource == "FreeForm" or resource not in {one.resource for one in reading}


def test_a_payment_is_not_looked_for_because_no_input_of_a_search_names_the_one_that_is_meant():
    """The premise: the list takes nothing that tells one payment from another, and one payment's id comes with it."""
    made, listed, one = (CONNECTOR.action(id) for id in ("initiate_payment", "list_payments", "get_payment"))
    names = [{field.name for field in action.inputs} for action in (made, listed, one)]
    assert names[0] & names[1] == {"account_id"}
    assert names[2] == {"id"}
    reason = reasons(built(CONNECTOR)[1])["initiate_payment"].en
    assert "made twice" in reason
    assert "before it is made" in reason


def test_a_read_that_finds_it_by_what_the_create_is_given_makes_a_pair(monkeypatch):
    app, export = built(with_a_read(monkeypatch))
    pair = app["searchOrCreates"]["get_person_account"]
    assert (pair["key"], pair["search"], pair["create"]) == ("get_person_account",) * 2 + ("save_person_account",)
    assert "save_person_account" not in reasons(export)
    assert export.holds["pairs"] == {"save_person_account"}
    assert not export.findings


def test_a_read_that_needs_what_the_create_does_not_have_makes_none(monkeypatch):
    app, export = built(with_a_read(monkeypatch, name="id"))
    assert "searchOrCreates" not in app
    assert "before it is made" in reasons(export)["save_person_account"].en


def test_a_pair_of_something_that_is_not_there_is_found(monkeypatch):
    app, export = built(with_a_read(monkeypatch))
    del app["creates"]["save_person_account"]
    files = {**export.files, "kontor-app.json": json.dumps(app).encode()}
    wrong = [one.message for one in lint(replace(export, files=files))]
    assert "it names save_person_account, which is not among the creates" in wrong
