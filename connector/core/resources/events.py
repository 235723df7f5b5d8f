"""Events as the service posts them to the webhook URL: the envelope, and the data of the five described events."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from connector.core.resources.banking import PaymentStatus, TemplateIdentifier
from connector.core.resources.model import Given, Known, Resource, read
from connector.core.values.dates import InstantText
from connector.core.values.ids import Id
from connector.core.values.money import Money, MoneyText

EventName = Annotated[
    str,
    Known(("refresh_complete", "connection_error", "connection_destroyed", "payment_update", "payment_progress")),
]
RefreshType = Annotated[str, Known(("automatic", "manual"))]
RefreshedStatus = Annotated[str, Known(("active", "inactive"))]


class Event(Resource):
    """The envelope. It carries no id and no signature; an unknown `event` is no error."""

    event: Given[EventName] = None
    data: Given[dict[str, Any]] = None
    received_at: Given[InstantText] = None


class BankConnectionEvent(Resource):
    """What all events about a bank connection tell."""

    connection_id: Given[Id] = None
    provider_name: Given[str] = None
    provider_code: Given[str] = None
    country_code: Given[str] = None
    refresh_type: Given[RefreshType] = None


class RefreshedAccount(Resource):
    """A bank account with new data."""

    id: Given[Id] = None
    name: Given[str] = None
    holder_name: Given[str] = None
    nature: Given[str] = None
    balance: Given[Money] = None
    currency_code: Given[str] = None
    iban: Given[str] = None


class RefreshComplete(BankConnectionEvent):
    """A refresh finished and there is new account data."""

    status: Given[RefreshedStatus] = None
    accounts: Given[list[RefreshedAccount]] = None


class BankConnectionFailed(BankConnectionEvent):
    """A bank connection fails, for example because the consent has expired (`connection_error`)."""

    error_class: Given[str] = None
    error_message: Given[str] = None


class BankConnectionDestroyed(BankConnectionEvent):
    """A bank connection was deleted (`connection_destroyed`)."""


class PaymentAttributes(Resource):
    """The payment as it was ordered. Here, and only here, the amount is text."""

    amount: Given[MoneyText] = None
    currency_code: Given[str] = None
    description: Given[str] = None
    creditor_iban: Given[str] = None
    creditor_name: Given[str] = None
    debtor_iban: Given[str] = None
    end_to_end_id: Given[str] = None
    customer_ip_address: Given[str] = None


class PaymentProgress(Resource):
    """A payment waits for an extra confirmation such as a TAN."""

    payment_id: Given[Id] = None
    status: Given[PaymentStatus] = None
    custom_fields: Given[dict[str, Any]] = None


class PaymentUpdate(PaymentProgress):
    """A payment's status changed. Only `settled` is final success; `executed` is not."""

    raw_provider_status: str | None = None
    template_identifier: Given[TemplateIdentifier] = None
    payment_attributes: Given[PaymentAttributes] = None


EVENT_DATA: Mapping[str, type[Resource]] = MappingProxyType(
    {
        "refresh_complete": RefreshComplete,
        "connection_error": BankConnectionFailed,
        "connection_destroyed": BankConnectionDestroyed,
        "payment_update": PaymentUpdate,
        "payment_progress": PaymentProgress,
    }
)


def data_of(event: Event) -> Resource:
    """The event's data as its own resource; that of an unknown event is kept whole, without described fields."""
    return read(EVENT_DATA.get(event.event or "", Resource), event.data or {})
