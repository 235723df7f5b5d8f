"""Two actions with one method and path: formats with one operation for both hold one, and name the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from connector import Connector
from connector.core.manifest.model import Action
from connector.core.service.wire import Wire
from connector.export import make, openapi, power_automate
from connector.export.shape import ExportOptions
from connector.export.unexpressed import one_per_address
from tests.export.promised import PICKING, PROMISED

WIRE = Wire.load({})


class Grown(Connector):
    """The manifests, and first of all a new action that lists bank accounts too."""

    @property
    def actions(self) -> Mapping[str, Action]:
        newcomer = replace(self.action("list_bank_accounts"), id="a_newcomer", inputs=())
        return {"a_newcomer": newcomer, **super().actions}


GROWN = Grown("unused")


def test_the_action_with_more_inputs_stays_and_the_other_is_named_with_its_reason() -> None:
    kept, named = one_per_address(GROWN.actions.values(), WIRE)
    assert {action.id for action in kept} >= PROMISED - PICKING
    reasons = {one.id: one.reason.en for one in named}
    assert "GET /v2/banking/accounts stands for list_bank_accounts" in reasons["a_newcomer"]


@pytest.mark.parametrize("package", [openapi, power_automate])
def test_a_package_holds_the_one_and_reports_the_other(package) -> None:
    export = package.build(GROWN, ExportOptions())
    assert "list_bank_accounts" in export.holds["actions"]
    assert "a_newcomer" not in export.holds["actions"]
    assert "a_newcomer" in {one.id for one in export.dropped}
    assert export.findings == ()


@pytest.mark.parametrize("package", [openapi, power_automate])
def test_all_promised_actions_are_held_but_the_one_without_a_path(package) -> None:
    assert package.build(Connector("unused"), ExportOptions(with_writes=True)).holds[
        "actions"
    ] >= PROMISED - PICKING - {"call_api"}


@pytest.mark.parametrize("package", [make, openapi, power_automate])
def test_what_takes_one_entry_out_of_a_list_needs_a_host_and_its_list_stays(package) -> None:
    direct = package.build(Connector("unused"), ExportOptions())
    assert not direct.holds["actions"] & PICKING
    assert {one.id for one in direct.dropped if one.kind == "action"} >= PICKING
    assert direct.holds["actions"] >= {"list_invoice_folders", "list_payment_terms"}
    assert package.build(Connector("unused"), ExportOptions(via="host")).holds["actions"] >= PICKING
