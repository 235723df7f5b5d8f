"""Handlers: every manifest has one, it says what the manifest says, and what comes of it has its types."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

import pytest
from pydantic import ValidationError

import connector.actions
import connector.triggers
from connector import Connector, Credential, InputError, KeyRefused, resources
from connector.actions import CallApi, CreateCashBookEntry, GetPayment, InitiatePayment, ListBankAccounts
from connector.actions.ledger.create_cash_book_entry import Belegzeilen
from connector.core.manifest.handlers import Handler, Listed, Resource
from connector.core.manifest.model import Action, Trigger
from connector.export.handlers import python_handlers
from connector.runtime.requests.catalog import Catalog
from connector.runtime.typed import typed
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.triggers import NewPayment, PaymentSettled
from tests.support.running_sandbox import RunningSandbox

CATALOG = Catalog()
MANIFESTS: list[Action | Trigger] = [*CATALOG.actions.values(), *CATALOG.triggers.values()]
EACH = pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: f"{one.kind}-{one.id}")
GIVEN = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
}


def source(manifest: Action | Trigger) -> str:
    return (python_handlers.ROOT / python_handlers.home(manifest)).read_text(encoding="utf-8")


def handler_of(manifest: Action | Trigger) -> type[Handler]:
    package = connector.actions if isinstance(manifest, Action) else connector.triggers
    found: type[Handler] = getattr(package, python_handlers.class_name(manifest.id))
    return found


def test_there_is_a_handler_for_each_of_25_actions_and_20_triggers() -> None:
    assert (len(CATALOG.actions), len(CATALOG.triggers)) == (25, 20)
    assert all(handler_of(one).manifest_id == one.id for one in MANIFESTS)


def test_what_is_generated_is_as_the_manifests_say() -> None:
    changed = [
        name
        for name, text in python_handlers.files(CATALOG).items()
        if (python_handlers.ROOT / name).read_text(encoding="utf-8") != text
    ]
    assert changed == [], "run `make handlers`"


@EACH
def test_a_handler_has_what_its_manifest_has(manifest: Action | Trigger) -> None:
    assert python_handlers.differences(manifest, source(manifest), CATALOG) == []


@EACH
def test_what_a_handler_lacks_is_told(manifest: Action | Trigger) -> None:
    lines = source(manifest).splitlines()
    for field in manifest.inputs:
        at = next((at for at, line in enumerate(lines) if line.startswith(f"    {field.name}: ")), None)
        assert (at is None) == field.internal
        if at is not None:
            told = python_handlers.differences(manifest, "\n".join(lines[:at] + lines[at + 1 :]), CATALOG)
            assert any(f".{field.name}" in one and "lacks" in one for one in told)


@EACH
def test_what_a_manifest_has_more_is_told(manifest: Action | Trigger) -> None:
    like = CATALOG.action("initiate_payment").inputs[0]
    more = replace(manifest, inputs=(*manifest.inputs, replace(like, name="colour")))
    [told] = python_handlers.differences(more, source(manifest), CATALOG)
    assert f"lacks {python_handlers.class_name(manifest.id)}.colour: str, which its manifest has" in told
    assert "make handlers" in told or "a person writes that file" in told


@EACH
def test_a_sample_has_the_types_of_the_handler(manifest: Action | Trigger) -> None:
    sample = (
        manifest.sample[0] if isinstance(manifest, Trigger) and isinstance(manifest.sample, list) else manifest.sample
    )
    found = typed(handler_of(manifest), sample)
    for resource in _resources_in(found):
        for name, info in type(resource).model_fields.items():
            value = getattr(resource, name)
            wanted = type(resource).model_validate({name: copy.deepcopy(value)})
            assert getattr(wanted, name) == value, (type(resource), name, info)
            assert not isinstance(value, str) or "date" not in str(info.annotation), (name, value)
    if manifest.resource in CATALOG.library.resources:
        assert list(_resources_in(found))


def _resources_in(value: Any) -> list[Resource]:
    if isinstance(value, Resource):
        return [value, *(one for inner in value.__dict__.values() for one in _resources_in(inner))]
    return [one for inner in value for one in _resources_in(inner)] if isinstance(value, list) else []


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Any) -> Any:
    with Connector(str(tmp_path)).open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session


def test_a_payment_by_its_handler_is_a_payment_and_is_made_once(session: Any) -> None:
    payment = InitiatePayment(**GIVEN, amount=Decimal("297.50"), execution_date=None)
    made = session.run(payment, key="lauf-1")
    assert isinstance(made.output, resources.Payment)
    assert (made.output.amount, made.output.status) == (Decimal("297.50"), "initiated")
    assert isinstance(made.output.created_at, datetime)
    again = session.run(payment, key="lauf-1")
    assert (again.replayed, again.output.id) == (True, made.output.id)
    assert session.run(GetPayment(id=made.output.id)).output.creditor_name == "Reifen Voss KG"
    assert json.loads(made.to_json())["output"]["amount"] == 297.5


def test_only_what_was_given_is_sent_and_a_dry_run_shows_it(session: Any) -> None:
    shown = session.run(InitiatePayment(**GIVEN, amount=Decimal(12)), key="lauf-1", dry_run=True).output
    by_id = session.invoke("initiate_payment", {**GIVEN, "amount": 12}, key="lauf-1", dry_run=True).output
    assert shown == by_id


def test_lists_and_free_answers_have_their_types(session: Any) -> None:
    accounts = session.run(ListBankAccounts()).output
    assert isinstance(accounts, Listed)
    assert all(isinstance(one, resources.BankAccount) for one in accounts.items)
    assert isinstance(accounts.items[0].extra.transactions_count.posted, int)
    assert isinstance(session.run(CallApi(path="/v2/banking/accounts")).output, dict)


@pytest.mark.parametrize(("written", "read"), [("297,50", "297.50"), ("1.234,50", "1234.50"), (12, "12")])
def test_amounts_are_read_as_in_every_other_face(written: Any, read: str) -> None:
    assert InitiatePayment(**GIVEN, amount=written).amount == Decimal(read)


@pytest.mark.parametrize("written", ["1.234", "12 USD", "NaN", True, None, "12 %"])
def test_what_is_no_amount_is_refused_by_name(written: Any) -> None:
    with pytest.raises(ValidationError, match="'amount'"):
        InitiatePayment(**GIVEN, amount=written)


def test_days_moments_and_lines_are_read_as_in_every_other_face() -> None:
    assert InitiatePayment(**GIVEN, amount=1, execution_date="15.05.2027").execution_date == date(2027, 5, 15)
    entry = CreateCashBookEntry(
        ledger_connection="1",
        kassenname="Kasse",
        transaktionsdatum="2026-05-15T10:00:00",
        belegzeilen=[Belegzeilen(betrag="41,65-")],
    )
    assert entry.transaktionsdatum.utcoffset() is not None
    assert entry.given_inputs()["belegzeilen"] == [{"betrag": Decimal("-41.65")}]


def test_a_name_that_is_no_input_is_refused() -> None:
    with pytest.raises(ValidationError, match="amont"):
        InitiatePayment(**GIVEN, amount=1, amont=1)


def test_the_rules_are_those_of_the_manifest(session: Any) -> None:
    with pytest.raises(InputError) as caught:
        session.run(InitiatePayment(**{**GIVEN, "creditor_iban": "DE00"}, amount=1))
    assert (caught.value.field, caught.value.outcome) == ("creditor_iban", "not_sent")


def test_an_answer_is_never_lost_to_a_type() -> None:
    sent = {"id": 7, "amount": "many", "created_at": "soon", "status": None, "made_by": {"a": 1}, "custom_fields": []}
    found = resources.Payment.model_validate(sent)
    assert (found.id, found.amount, found.created_at, found.status) == ("7", "many", "soon", None)
    assert found.custom_fields == []
    assert found.model_extra == {"made_by": {"a": 1}}
    assert found.reference is None
    assert typed(InitiatePayment, "done") == "done"
    inner = resources.BankAccount.model_validate({"extra": "none"})
    assert inner.extra == "none"


def test_errors_are_those_of_invoke(sandbox: RunningSandbox, tmp_path: Any) -> None:
    with (
        Connector(str(tmp_path)).open(Credential(sandbox.url, "wrong")) as session,
        pytest.raises(KeyRefused),
    ):
        session.run(ListBankAccounts())


def test_a_watch_tells_what_comes_and_its_cursor_says_what_was_taken(session: Any) -> None:
    watch = session.watch(NewPayment(), start="all")
    first, second = islice(watch, 2)
    assert isinstance(first, resources.Payment)
    assert int(first.id) < int(second.id)
    assert watch.cursor is None, "not all of the poll was taken"
    polled = session.poll("new_payment", start="all")
    list(islice(watch, len(polled.items) - 2))
    watch._interval = 0.0
    made = session.run(InitiatePayment(**GIVEN, amount=1), key="lauf-1").output
    assert next(watch).id == made.id
    assert watch.cursor == polled.cursor


async def test_a_watch_in_an_event_loop(sandbox: RunningSandbox, tmp_path: Any) -> None:
    async with Connector(str(tmp_path)).open(Credential(sandbox.url, "sandbox-key")) as session:
        async for payment in session.watch(NewPayment(), start="all"):
            assert payment.created_at.astimezone(UTC) < datetime.now(UTC)
            break
        made = await session.run(InitiatePayment(**GIVEN, amount=1), key="lauf-1")
        assert made.output.amount == 1


def test_an_event_cannot_be_watched_without_a_host(session: Any) -> None:
    with pytest.raises(InputError):
        next(session.watch(PaymentSettled()))
