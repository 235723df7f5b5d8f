"""What the API shows of events that it has confirmed before, for somebody who only looks: nothing fires."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from connector.core import service_facts
from connector.durable.inbox.confirm import MAX_SINGLE_REQUESTS, fetch_bank_connections, fetch_payments
from connector.durable.inbox.envelope import Envelope
from connector.durable.inbox.facts import (
    Absent,
    BankConnectionFacts,
    PaymentOrAbsence,
    bank_connection_data,
    confirms,
    item_id,
    payment_data,
)
from connector.store.triggers import bank_connections

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.runtime.session import AsyncSession


class ConfirmedData(NamedTuple):
    """What a subscription would be told."""

    event: str
    data: dict[str, Any]
    item_id: str


async def confirmed_data(
    context: JobContext, credential_id: str, envelopes: Mapping[int, Envelope]
) -> dict[int, ConfirmedData | None]:
    """Return what the API shows of these events; None where it no longer shows what an event says.

    Those are left out for which no request is left now.
    """
    session = await context.session(credential_id)
    payments = await _payments(session, envelopes)
    there = await _bank_connections(context, session, credential_id, envelopes)
    confirmed: dict[int, ConfirmedData | None] = {}
    for key, envelope in envelopes.items():
        payment, bank_connection = envelope.payment_id or "", envelope.bank_connection_id or ""
        if payment in payments:
            confirmed[key] = _of_payment(envelope, payments[payment])
        elif bank_connection in there:
            confirmed[key] = _of_bank_connection(envelope, bank_connection, there[bank_connection])
    return confirmed


async def _payments(session: AsyncSession, envelopes: Mapping[int, Envelope]) -> Mapping[str, PaymentOrAbsence]:
    claims: dict[str, list[str]] = defaultdict(list)
    for envelope in envelopes.values():
        if service_facts.about(envelope.event) == service_facts.PAYMENT and envelope.payment_id and envelope.status:
            claims[envelope.payment_id].append(envelope.status)
    return (await fetch_payments(session, claims, MAX_SINGLE_REQUESTS)).payments if claims else {}


async def _bank_connections(
    context: JobContext, session: AsyncSession, credential_id: str, envelopes: Mapping[int, Envelope]
) -> Mapping[str, BankConnectionFacts]:
    about = [
        envelope
        for envelope in envelopes.values()
        if service_facts.about(envelope.event) == service_facts.BANK_CONNECTION
    ]
    named = [(envelope.bank_connection_id, envelope.event) for envelope in about if envelope.bank_connection_id]
    ids = list(dict(named))
    if not ids:
        return {}
    refreshed = {id for id, event in named if service_facts.brings_news(event)}
    shown = await fetch_bank_connections(session, ids, refreshed, MAX_SINGLE_REQUESTS)
    former = await context.read(lambda connection: bank_connections.described(connection, credential_id, ids))
    return {id: replace(facts, former=former.get(id)) for id, facts in shown.items()}


def _of_payment(envelope: Envelope, shown: PaymentOrAbsence) -> ConfirmedData | None:
    if isinstance(shown, Absent):
        return None
    event = service_facts.name_of_state(str(shown["status"]))
    return ConfirmedData(event, payment_data(shown, envelope.data), item_id(shown))


def _of_bank_connection(envelope: Envelope, id: str, facts: BankConnectionFacts) -> ConfirmedData | None:
    if not confirms(envelope.event, facts):
        return None
    data = bank_connection_data(envelope.event, id, facts, envelope.data)
    return ConfirmedData(envelope.event, data, envelope.content_id)
