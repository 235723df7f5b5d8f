"""Events are read into their own data, and an unknown one is no error."""

from __future__ import annotations

from decimal import Decimal

import pytest

from connector.core.resources.events import EVENT_DATA, Event, PaymentProgress, PaymentUpdate, RefreshComplete, data_of
from connector.core.resources.model import Resource, known_values, read, surprises
from connector.core.values.json import decode
from connector.core.values.money import as_money
from tests.core.resource_samples import SAMPLES


def event(name: str, model: type[Resource]) -> Event:
    return read(Event, {"event": name, "data": decode(SAMPLES[model]), "received_at": "2026-05-01T10:00:00Z"})


@pytest.mark.parametrize("name", EVENT_DATA)
def test_each_event_has_its_data(name: str) -> None:
    model = EVENT_DATA[name]
    data = data_of(event(name, model))
    assert type(data) is model
    assert data.dump() == decode(SAMPLES[model])
    assert list(surprises(data)) == []


def test_the_described_events_are_those_that_can_be_read() -> None:
    assert set(known_values(Event, "event")) == set(EVENT_DATA)


def test_an_unknown_event_keeps_its_data() -> None:
    data = data_of(read(Event, {"event": "coffee_ready", "data": {"cups": Decimal("1.50")}}))
    assert data.dump() == {"cups": Decimal("1.50")}


@pytest.mark.parametrize("envelope", [{}, {"event": "payment_update"}, {"event": "payment_update", "data": None}])
def test_an_event_without_data_is_not_fatal(envelope: dict[str, object]) -> None:
    assert data_of(read(Event, envelope)).dump() == {}


def test_the_amount_in_a_payment_update_stays_text_and_reads_exactly() -> None:
    data = data_of(event("payment_update", PaymentUpdate))
    assert isinstance(data, PaymentUpdate)
    assert data.payment_attributes is not None
    assert data.payment_attributes.amount == "99.90"
    assert as_money(data.payment_attributes.amount) == Decimal("99.90")


def test_the_balance_in_a_refresh_is_a_decimal() -> None:
    data = data_of(event("refresh_complete", RefreshComplete))
    assert isinstance(data, RefreshComplete)
    assert data.accounts is not None
    assert data.accounts[0].balance == Decimal("10.50")


def test_progress_is_slimmer_than_an_update() -> None:
    assert set(PaymentUpdate.model_fields) - set(PaymentProgress.model_fields) == {
        "raw_provider_status",
        "template_identifier",
        "payment_attributes",
    }
