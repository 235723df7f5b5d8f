"""Every resource gives back what was read, to the digit, and bends where the service surprises."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from connector.core.resources.accounting import PaymentTerm, PeriodValue
from connector.core.resources.banking import BankConnection, Payment, Transaction
from connector.core.resources.errors import LedgerErrorBody, RvoCheck
from connector.core.resources.ledger import CashBookEntry
from connector.core.resources.model import Resource, known_values, read, surprises
from connector.core.values.json import decode, encode
from tests.core.resource_samples import SAMPLES

every_resource = pytest.mark.parametrize("model", SAMPLES, ids=lambda model: model.__name__)


def digits(value: Any) -> Any:
    """A value with its numbers as text, so that 1.50 and 1.5 differ, and with keys in order."""
    if isinstance(value, dict):
        return {key: digits(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [digits(item) for item in value]
    return f"number {value}" if isinstance(value, Decimal | int) and not isinstance(value, bool) else value


def all_models(model: type[Resource] = Resource) -> Iterator[type[Resource]]:
    for child in model.__subclasses__():
        yield child
        yield from all_models(child)


def inside(value: Any) -> Iterator[Resource]:
    if isinstance(value, Resource):
        yield value
        value = [getattr(value, name) for name in type(value).model_fields]
    if isinstance(value, list):
        for item in value:
            yield from inside(item)


@every_resource
def test_a_dump_is_what_was_read(model: type[Resource]) -> None:
    value = decode(SAMPLES[model])
    assert digits(decode(encode(read(model, value).dump()))) == digits(value)


@every_resource
def test_a_sample_as_described_holds_no_surprise(model: type[Resource]) -> None:
    assert list(surprises(read(model, decode(SAMPLES[model])))) == []


def test_the_samples_show_every_field_of_every_resource() -> None:
    seen = {
        (type(resource), name)
        for model, text in SAMPLES.items()
        for resource in inside(read(model, decode(text)))
        for name in resource.model_fields_set
    }
    # Two classes are only the common part of others.
    shared = {"BankConnectionEvent", "Address"} - {type_.__name__ for type_, _ in seen}
    models = [
        model for model in all_models() if model.__module__.startswith("connector.") and model.__name__ not in shared
    ]
    assert len(models) > 30
    assert {(model, name) for model in models for name in model.model_fields} <= seen


@every_resource
def test_fields_of_tomorrow_pass_through_untouched(model: type[Resource]) -> None:
    value = {
        **decode(SAMPLES[model]),
        "morgen": [{"betrag": Decimal("0.10"), "leer": None}],
        "dump": 1,
        "model_fields": 2,
    }
    resource = read(model, value)
    assert digits(resource.dump()) == digits(value)
    assert list(surprises(resource)) == []


@every_resource
def test_any_field_may_be_missing_and_stays_missing(model: type[Resource]) -> None:
    whole = decode(SAMPLES[model])
    for name in whole:
        value = {key: inner for key, inner in whole.items() if key != name}
        resource = read(model, value)
        assert digits(resource.dump()) == digits(value)
        assert getattr(resource, name, None) is None
    assert read(model, {}).dump() == {}


@every_resource
def test_a_null_is_read_and_named_where_none_is_described(model: type[Resource]) -> None:
    schema = model.model_json_schema()["properties"]
    for name in model.model_fields:
        resource = read(model, {name: None})
        described = schema[name] == {} or {"type": "null"} in schema[name].get("anyOf", ())
        assert resource.dump() == {name: None}
        assert list(surprises(resource)) == ([] if described else [((name,), None)])


@every_resource
@pytest.mark.parametrize("misfit", [["x"], {"x": Decimal("0.10")}, True, Decimal("1.5"), "text"], ids=str)
def test_no_value_in_any_field_is_fatal_or_lost(model: type[Resource], misfit: Any) -> None:
    for name in model.model_fields:
        value = {**decode(SAMPLES[model]), name: misfit}
        assert digits(read(model, value).dump()) == digits(value)


@every_resource
@pytest.mark.parametrize("value", [None, [], "text", 5])
def test_what_is_no_object_is_refused(model: type[Resource], value: Any) -> None:
    with pytest.raises(ValueError, match="expected an object"):
        read(model, value)


def test_a_misfit_deep_inside_leaves_the_rest_readable() -> None:
    value = decode(SAMPLES[CashBookEntry])
    value["belegzeilen"].append({"betrag": "zwölf", "belegtext": "ok", "steuersatz": {"prozent": [7]}})
    entry = read(CashBookEntry, value)
    assert entry.belegzeilen is not None
    assert entry.belegzeilen[0].betrag == Decimal("-12345678901234567.80")
    assert (entry.belegzeilen[1].betrag, entry.belegzeilen[1].belegtext) == (None, "ok")
    assert dict(surprises(entry)) == {
        ("belegzeilen", 1, "betrag"): "zwölf",
        ("belegzeilen", 1, "steuersatz", "prozent"): [7],
    }
    assert digits(entry.dump()) == digits(value)


def test_a_list_with_a_foreign_item_is_kept_as_a_whole() -> None:
    entry = read(CashBookEntry, {"belegzeilen": [{"betrag": 1}, 5], "kassenname": "Kasse"})
    assert (entry.belegzeilen, entry.kassenname) == (None, "Kasse")
    assert entry.dump() == {"belegzeilen": [{"betrag": 1}, 5], "kassenname": "Kasse"}


@pytest.mark.parametrize(
    ("model", "name"), [(Payment, "status"), (Transaction, "status"), (PaymentTerm, "faelligkeitsart")]
)
def test_a_value_outside_the_described_ones_is_ordinary_text(model: type[Resource], name: str) -> None:
    resource = read(model, {name: "brand_new"})
    assert getattr(resource, name) == "brand_new"
    assert list(surprises(resource)) == []


def test_described_values_are_listed_but_do_not_close_the_set() -> None:
    states = ("active", "inactive", "disabled", "pending", "pending_connect")
    assert known_values(BankConnection, "status") == states
    assert known_values(BankConnection, "provider_name") == ()
    assert BankConnection.model_json_schema()["properties"]["status"] == {
        "anyOf": [{"type": "string", "enum": list(states)}, {"type": "string"}]
    }


def test_a_numeric_id_becomes_exact_text() -> None:
    assert read(Transaction, decode(b'{"id":9007199254740993}')).id == "9007199254740993"


def test_an_id_that_went_through_a_double_is_a_surprise() -> None:
    transaction = read(Transaction, {"id": Decimal("9.007199254740992E+15")})
    assert transaction.id is None
    assert [path for path, _ in surprises(transaction)] == [("id",)]


def test_the_schema_is_strict_where_reading_is_tolerant() -> None:
    schema = BankConnection.model_json_schema()["properties"]
    assert schema["display_name"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schema["provider_name"] == {"type": "string"}
    assert schema["created_at"] == {"type": "string", "format": "date-time"}
    assert PeriodValue.model_json_schema()["properties"]["periode"] == {"type": "integer", "minimum": 1, "maximum": 14}
    assert (LedgerErrorBody.model_json_schema()["required"], RvoCheck.model_json_schema()["required"]) == (
        ["error"],
        ["status"],
    )


def test_a_period_beyond_the_described_range_is_still_read() -> None:
    assert read(PeriodValue, {"periode": 15}).periode == 15
