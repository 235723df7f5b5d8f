"""The fields of every resource, read from the service's description itself and compared with what is declared."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fitting import RESOURCES

from connector.core.resource_schema import fields_of
from tests.conformance.source import SOURCE, passages

DESCRIBED = {
    "Error": ["ErrorBody"],
    "Ledger error": ["LedgerErrorBody"],
    "Permission probe entry (RvoCheck)": ["RvoCheck"],
    "Payment term": ["PaymentTerm"],
    "Trial balance rows": ["TrialBalanceRow", "AccountLine"],
    "Booking": ["Booking"],
    "Provider task results": ["TaskResult", "CashBookResult", "PersonAccountResult"],
    "Cash book and invoice folder": ["CashBook", "InvoiceFolder"],
    "Cash book entry (response of the advanced create)": ["CashBookEntry"],
    "Ledger connection list item": ["LedgerConnection"],
    "Person account (Personenkonto)": ["PersonAccountRequest", "PersonAccount"],
    "Open items (OPOS) result": ["OpenItems"],
    "Bank connection": ["BankConnection"],
    "Bank account": ["BankAccount"],
    "Transaction": ["Transaction"],
    "Payment": ["Payment"],
    "Mobility customer": ["MobilityCustomer"],
    "Mobility collective invoice": ["CollectiveInvoice"],
    "Events": [
        "Event",
        "RefreshComplete",
        "BankConnectionFailed",
        "BankConnectionDestroyed",
        "PaymentUpdate",
        "PaymentProgress",
    ],
}
"""By heading, the resources that stand under it; those inside of them stand there too."""
NO_FIELDS = {
    "Ledger error": {"x-api-key"},
    "Provider task results": {"ledgerAntwort"},
    "Cash book and invoice folder": {"kassenname"},
    "Open items (OPOS) result": {"data", "platform"},
    "Person account (Personenkonto)": {"data"},
    "Events": {"POST", "InvalidCredentials", "ProviderError"},
}
"""Other words that are marked as code under a heading."""
DESCRIBED_ELSEWHERE = {
    "Cash book entry (response of the advanced create)": {
        "status",
        "meldungen",
        "dateiname",
        "nachricht",
        "zeitstempel",
        "typ",
        "neuesGuthaben",
    },
}
"""Fields inside a resource whose own heading describes them."""
_WORD = re.compile(r"`([A-Za-z_][\w-]*)`")


def _words(heading: str) -> set[str]:
    """Whatever the description marks as code under a heading, and what its tables have in their first column."""
    found: set[str] = set()
    for passage in passages():
        if passage.heading == heading:
            found |= set(_WORD.findall(passage.text))
            if passage.text.startswith("| "):
                found |= set(passage.text.split("|")[1].replace("`", "").replace(" ", "").split(","))
    return found


def _declared(resource: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every field of a resource and of those inside it, with the values that are known of it."""
    for name, type in fields_of(resource, RESOURCES).items():
        yield name, type.known
        if type.is_resource:
            yield from _declared(type.name)


@pytest.mark.conforms(
    "permissions.raw_answer",
    "payment_term.label",
    "payment_term.days",
    "payment_term.discounts",
    "payment_term.periods",
    "trial_balance.balance",
    "trial_balance.row",
    "trial_balance.account_line",
    "booking.fields",
    "booking.line",
    "provider_result.most_writes",
    "provider_result.cash_book",
    "provider_result.person_account",
    "cash_book.name",
    "invoice_folder.type",
    "cash_book_entry.answer",
    "ledger_connection.fields",
    "person_account.request",
    "person_account.answer",
    "open_items.answer",
    "bank_connection.fields",
    "bank_account.fields",
    "transaction.fields",
    "transaction.parsed_description",
    "transaction.extra",
    "payment.fields",
    "mobility_customer.fields",
    "collective_invoice.fields",
    "events.envelope",
    "events.refresh_complete",
    "events.connection_error",
    "events.connection_destroyed",
    "events.payment_update",
    "events.payment_progress",
)
@pytest.mark.skipif(not SOURCE.exists(), reason="the service's description does not lie beside this checkout")
@pytest.mark.parametrize("heading", DESCRIBED)
def test_what_is_described_is_declared_and_nothing_else(heading: str) -> None:
    declared = [pair for resource in DESCRIBED[heading] for pair in _declared(resource)]
    fields = {name for name, _ in declared}
    values = {value for _, known in declared for value in known}
    words = _words(heading)
    assert fields - DESCRIBED_ELSEWHERE.get(heading, set()) - words == set(), "declared and not described"
    assert words - fields - values - NO_FIELDS.get(heading, set()) == set(), "described and not declared"
