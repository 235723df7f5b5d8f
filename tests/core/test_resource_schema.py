"""Every declared resource as JSON Schema: strict where the service describes something, open where it may surprise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from connector.core.manifest.resource_schema import fields_of, resource_schema, resource_schemas
from connector.core.values.json import decode
from tests.core.resource_samples import SAMPLES
from tests.support.fitting import LIBRARY, RESOURCES, known_values, misfits

every_sample = pytest.mark.parametrize("name", SAMPLES)
DESCRIBED = {
    ("RvoCheck", "status"): {"ok", "permission", "expired", "error", "unknown"},
    ("PaymentTerm", "faelligkeitsart"): {"NACH_TAGE", "ALS_ZEITRAUM"},
    ("Balance", "sollHabenKennzeichen"): {"SOLL", "HABEN"},
    ("Booking", "sollHabenKennzeichen"): {"SOLL", "HABEN"},
    ("InvoiceFolder", "ordnertyp"): {"EINGANGSRECHNUNG", "AUSGANGSRECHNUNG"},
    ("LedgerConnection", "status"): {"connected", "pending"},
    ("LedgerErrorBody", "code"): {
        "ledger_connection_invalid",
        "ledger_export_service_missing",
        "ledger_endpoint_not_authorized",
    },
    ("BankConnection", "status"): {"active", "inactive", "disabled", "pending", "pending_connect"},
    ("Transaction", "status"): {"posted", "pending"},
    ("Payment", "template_identifier"): {"SEPA", "SEPA_INSTANT"},
    ("RefreshComplete", "status"): {"active", "inactive"},
    ("RefreshComplete", "refresh_type"): {"automatic", "manual"},
}
"""Every set of values that the service description lists."""
TEXTS = {"text", "id", "iban", "uuid", "uri", "date", "date-time", "amount-text"}
PAYMENT_STATES = {
    "initiated",
    "initiated_info_required",
    "authorizing",
    "authorized",
    "processing",
    "executed",
    "settled",
    "failed",
    "rejected",
}


def inside(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every field of every resource that a value shows."""
    for field, type in fields_of(name, RESOURCES).items():
        if field in value:
            yield name, field
            if type.is_resource:
                for item in value[field] if type.is_list else [value[field] or {}]:
                    yield from inside(type.name, item)


def test_every_schema_is_one() -> None:
    for name in RESOURCES:
        Draft202012Validator.check_schema(resource_schema(name, RESOURCES))


@pytest.mark.conforms(
    "conventions.timestamps",
    "trial_balance.account_line",
    "booking.fields",
    "booking.line",
    "cash_book_entry.images_in_the_answer",
)
@every_sample
def test_a_sample_as_described_fits(name: str) -> None:
    assert misfits(name, decode(SAMPLES[name])) == []


def test_the_samples_show_every_field_of_every_resource() -> None:
    seen = {pair for name, text in SAMPLES.items() for pair in inside(name, decode(text))}
    assert len(RESOURCES) > 30
    assert {(name, field) for name in RESOURCES for field in RESOURCES[name]["fields"]} <= seen


@pytest.mark.conforms("provider_result.most_writes", "versioning.promises")
@every_sample
def test_fields_of_tomorrow_fit(name: str) -> None:
    assert misfits(name, {**decode(SAMPLES[name]), "morgen": [{"betrag": 0.10, "leer": None}]}) == []


@pytest.mark.conforms("ledger_error.error", "versioning.promises")
@every_sample
def test_any_field_may_be_missing_but_those_that_the_service_calls_required(name: str) -> None:
    whole, required = decode(SAMPLES[name]), RESOURCES[name].get("required", [])
    for field in whole:
        rest = {key: inner for key, inner in whole.items() if key != field}
        assert bool(misfits(name, rest)) == (field in required)


@pytest.mark.conforms(
    "booking.line", "cash_book_entry.provider_may_be_silent", "bank_connection.owner", "versioning.null_owner"
)
@every_sample
def test_a_null_fits_only_where_one_is_described(name: str) -> None:
    for field, type in fields_of(name, RESOURCES).items():
        refused = misfits(name, {**decode(SAMPLES[name]), field: None})
        assert (refused == []) == (type.nullable or type.name == "any")


@every_sample
def test_a_value_of_another_type_does_not_fit(name: str) -> None:
    for field, type in fields_of(name, RESOURCES).items():
        wrong: Any = 7.5 if type.name in TEXTS or type.is_list or type.is_resource else "text"
        assert type.name == "any" or misfits(name, {**decode(SAMPLES[name]), field: wrong})


@pytest.mark.conforms(
    "ledger_error.code",
    "permissions.status",
    "payment_term.kind",
    "trial_balance.balance",
    "invoice_folder.type",
    "ledger_connection.status_values",
    "bank_connection.status",
    "transaction.status",
    "bank_connection_status.states",
    "transaction_status.states",
)
def test_every_value_that_the_service_describes_is_declared_and_the_set_stays_open() -> None:
    for (name, field), values in DESCRIBED.items():
        assert set(known_values(name, field)) == values
        assert misfits(name, {**decode(SAMPLES.get(name, "{}")), field: "brand_new"}) == []
    for name in ("Payment", "PaymentUpdate", "PaymentProgress"):
        assert set(known_values(name, "status")) == PAYMENT_STATES
    assert known_values("BankConnection", "provider_name") == ()


@pytest.mark.conforms("payment_status.states")
def test_every_described_state_of_a_payment_has_its_place_in_the_order() -> None:
    assert set(LIBRARY.states["payment"].rank) == PAYMENT_STATES
    assert LIBRARY.states["payment"].final == {"settled", "failed", "rejected"}


def test_every_described_event_is_declared_with_its_data() -> None:
    assert set(known_values("Event", "event")) == set(LIBRARY.events)
    assert {event["data"] for event in LIBRARY.events.values()} <= set(RESOURCES)


@pytest.mark.conforms("trial_balance.period_value", "constants.periods")
def test_schemas_refer_to_each_other_where_they_are_told_to_stand() -> None:
    schemas = resource_schemas(["TrialBalanceRow", "FreeForm"], RESOURCES, "#/components/schemas/")
    assert list(schemas) == ["Balance", "PeriodValue", "TrialBalanceRow"]
    row = schemas["TrialBalanceRow"]["properties"]
    assert row["ebWert"] == {"anyOf": [{"$ref": "#/components/schemas/Balance"}, {"type": "null"}]}
    assert row["periodenwerte"] == {"type": "array", "items": {"$ref": "#/components/schemas/PeriodValue"}}
    assert schemas["PeriodValue"]["properties"]["periode"] == {"type": "integer", "minimum": 1, "maximum": 14}
    assert schemas["Balance"]["properties"]["sollHabenKennzeichen"] == {
        "anyOf": [{"type": "string", "enum": ["SOLL", "HABEN"]}, {"type": "string"}]
    }
