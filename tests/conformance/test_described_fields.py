"""The fields of every resource: declared as the service's description names them, handed on as its sentences say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import httpx
import pytest

from connector import Connector, Credential
from connector.core.manifest.resource_schema import fields_of
from connector.runtime.session import Session
from connector.sandbox.banking.demo import DISABLED, ENDING_SOON, EXPIRED, HOUSE_BANK, PENDING, UNFINISHED
from connector.sandbox.ledger.demo import ledger_connection_id
from connector.sandbox.server import SandboxServer
from tests.conformance.source import SOURCE, Quotation, passages
from tests.conformance.statements import statements
from tests.support.filled_in import NORDLICHT, all_inputs
from tests.support.fitting import RESOURCES
from tests.support.running_sandbox import RunningSandbox

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
CONNECTOR = Connector("unused")
QUOTATIONS = {one.id: one.says for one in statements()}
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


Rows = list[dict[str, Any]]
TYPES: dict[str, Callable[[Any], bool]] = {
    "date-time": lambda value: datetime.fromisoformat(value).tzinfo is not None,
    "date": lambda value: date.fromisoformat(value).isoformat() == value,
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | Decimal) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "uuid": lambda value: str(UUID(value)) == value,
    "uri": lambda value: httpx.URL(value).is_absolute_url,
}
"""What the description's words for a type demand of a value."""
PERSON_ACCOUNT = {
    "emailAdressen": [{"email": "buchhaltung@muster.example", "typ": "GESCHAEFTLICH"}],
    "telefonnummern": [{"nummer": "+49 40 1234567", "typ": "GESCHAEFTLICH"}],
    "bankkonten": [{"iban": "DE89370400440532013000", "bic": "COBADEFFXXX", "name": "Haus", "istHauptkonto": True}],
    "kontaktpersonen": [{"vorname": "Imke", "nachname": "Petersen", "anrede": "Frau"}],
    "adressen": [{"adresszeile": "Kai 1", "postleitzahl": "20097", "ort": "Hamburg", "laendercode": "DE", "typ": "X"}],
}
_TYPE = re.compile(rf"\W*({'|'.join(TYPES)})s?\b")
_CODE = re.compile(r"`(\w+)`([^`]*)")


class DescribedField(NamedTuple):
    """What a quotation says of a field."""

    name: str
    type: str
    nullable: bool


def described_fields(quotation: Quotation) -> Iterator[DescribedField]:
    """Each name that stands in a table's first column or is marked as code, and the type behind it if there is one."""
    text = quotation.text
    if text.startswith("| "):
        _, names, type, text = text.split("|", 3)
        yield from (_described_field(name.strip(" `"), type) for name in names.split(","))
    of_all = re.search(r"\(each ([^)]+)\)", text)
    yield from (_described_field(name, of_all[1] if of_all else words) for name, words in _CODE.findall(text))


def _described_field(name: str, words: str) -> DescribedField:
    narrower = re.search(r"uuid|uri\b", words, re.IGNORECASE)
    type = narrower or _TYPE.match(words)
    return DescribedField(name, type[type.lastindex or 0].lower() if type else "", "null" in words)


@pytest.fixture(scope="module")
def read(_server: SandboxServer, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Rows]:
    """What the actions give of each resource, read once."""
    sandbox, connector = RunningSandbox(_server), Connector(str(tmp_path_factory.mktemp("fields")))
    sandbox.order("/reset", seed=1)
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        found = {**_ledger(session), **_banking(session, sandbox), **_mobility(session)}
    connector.close()
    sandbox.close()
    return found


def _output(session: Session, action: str, **inputs: Any) -> Any:
    output = session.invoke(action, inputs).output
    return output["items"] if set(output) == {"items"} else output


def _filled(session: Session, action: str, **more: Any) -> Any:
    return _output(session, action, **{**all_inputs(CONNECTOR.action(action), session), **more})


def _ledger(session: Session) -> dict[str, Rows]:
    ledger = {"ledger_connection": NORDLICHT}
    year = {"geschaeftsjahrStartDatum": f"{session.clock.utcnow().year - 1}-01-01"}
    line = {"belegtext": "Papier", "belegNummer": "1", "betrag": "-3,50", "kostenstelle1": "Laden"}
    lines = {"belegzeilen": [{**line, "gegenkonto": "4930"}], "betrag": "-3,50"}
    entries = [_filled(session, "create_cash_book_entry", **more) for more in ({}, lines)]
    account = _filled(session, "save_person_account", **PERSON_ACCOUNT)
    broken = ("probe", "ledger_connection_invalid", "ledger_endpoint_not_authorized")
    probes = [_output(session, "check_permissions", ledger_connection=ledger_connection_id(name)) for name in broken]
    terms = _output(session, "list_payment_terms", **ledger, **year)
    return {
        "probes": [row for rows in probes for row in rows],
        "terms": [{name: value for name, value in term.items() if name != "perioden"} for term in terms],
        "terms by period": [{"perioden": term["perioden"]} for term in terms],
        "trial balance": _output(session, "get_trial_balance", **ledger, **year),
        "cash books": _output(session, "list_cash_books", **ledger),
        "folders": _output(session, "list_invoice_folders", **ledger),
        "entries": entries,
        "results of entries": [entry["ledgerAntwort"] for entry in entries],
        "ledger connections": _output(session, "list_ledger_connections"),
        "person accounts": [{name: value for name, value in account.items() if name != "ledgerAntwort"}],
        "results of person accounts": [account["ledgerAntwort"]],
        "open items": [_output(session, "get_open_items", **ledger)],
    }


def _banking(session: Session, sandbox: RunningSandbox) -> dict[str, Rows]:
    payment = _filled(session, "initiate_payment")
    sandbox.order(f"/payments/{payment['id']}", status="settled")
    real = (HOUSE_BANK, ENDING_SOON, EXPIRED, DISABLED, PENDING)
    banks = [_output(session, "get_bank_connection", id=id) for id in real]
    sandbox.order(f"/bank-connections/{ENDING_SOON}/reconnect")
    return {
        "bank connections": [*banks, _output(session, "get_bank_connection", id=ENDING_SOON)],
        "bank statuses": [*banks, _output(session, "get_bank_connection", id=UNFINISHED)],
        "bank accounts": _output(session, "list_bank_accounts"),
        "transactions": _output(session, "list_transactions", connection_id=HOUSE_BANK),
        "payments": [_output(session, "get_payment", id=payment["id"]), *_output(session, "list_payments")],
    }


def _mobility(session: Session) -> dict[str, Rows]:
    customers = _output(session, "list_mobility_customers")
    invoices = [_output(session, "create_collective_invoice", customer_id=one["id"]) for one in customers[:3]]
    return {"customers": customers, "invoices": invoices}


READ_AS = {
    "permissions.status": "probes",
    "permissions.raw_answer": "probes",
    "payment_term.label": "terms",
    "payment_term.days": "terms",
    "payment_term.discounts": "terms",
    "payment_term.kind": "terms",
    "payment_term.periods": "terms by period",
    "trial_balance.balance": "trial balance",
    "trial_balance.period_value": "trial balance",
    "trial_balance.row": "trial balance",
    "provider_result.cash_book": "results of entries",
    "provider_result.person_account": "results of person accounts",
    "cash_book.name": "cash books",
    "invoice_folder.type": "folders",
    "cash_book_entry.answer": "entries",
    "ledger_connection.fields": "ledger connections",
    "ledger_connection.status_values": "ledger connections",
    "person_account.answer": "person accounts",
    "open_items.answer": "open items",
    "bank_connection.fields": "bank connections",
    "bank_connection.status": "bank statuses",
    "bank_connection.owner": "bank connections",
    "bank_account.fields": "bank accounts",
    "transaction.fields": "transactions",
    "transaction.payment_id": "transactions",
    "transaction.duplicated": "transactions",
    "transaction.status": "transactions",
    "transaction.amount": "transactions",
    "transaction.parsed_description": "transactions",
    "transaction.extra": "transactions",
    "payment.fields": "payments",
    "payment.template": "payments",
    "mobility_customer.fields": "customers",
    "collective_invoice.fields": "invoices",
    "collective_invoice.pdf_is_internal": "invoices",
}
"""By statement, what is read in which its fields are found."""
BESIDE = {
    "cash_book.name": {"kassenname"},
    "cash_book_entry.answer": {"meldungen", "status"},
    "open_items.answer": {"data", "platform"},
    "person_account.answer": {"data"},
}
"""Words of a quotation that name something else: the envelope, or a field of another resource."""
VALUES_OF = {
    "permissions.status": "status",
    "payment_term.kind": "faelligkeitsart",
    "trial_balance.balance": "sollHabenKennzeichen",
    "invoice_folder.type": "ordnertyp",
    "ledger_connection.status_values": "status",
    "bank_connection.status": "status",
    "transaction.status": "status",
    "payment.template": "template_identifier",
}
"""The fields whose values a quotation lists, and which all occur in the demo."""


def found_in(value: Any, name: str) -> Iterator[Any]:
    """The values of a field, at any depth."""
    if isinstance(value, list):
        for inner in value:
            yield from found_in(inner, name)
    elif isinstance(value, dict):
        if name in value:
            yield value[name]
        for inner in value.values():
            yield from found_in(inner, name)


@pytest.mark.conforms(
    "permissions.status",
    "permissions.raw_answer",
    "payment_term.label",
    "payment_term.days",
    "payment_term.discounts",
    "payment_term.kind",
    "payment_term.periods",
    "trial_balance.balance",
    "trial_balance.period_value",
    "trial_balance.row",
    "provider_result.cash_book",
    "provider_result.person_account",
    "cash_book.name",
    "invoice_folder.type",
    "cash_book_entry.answer",
    "ledger_connection.fields",
    "ledger_connection.status_values",
    "person_account.answer",
    "open_items.answer",
    "bank_connection.fields",
    "bank_connection.status",
    "bank_connection.owner",
    "bank_account.fields",
    "transaction.fields",
    "transaction.payment_id",
    "transaction.duplicated",
    "transaction.status",
    "transaction.amount",
    "transaction.parsed_description",
    "transaction.extra",
    "payment.fields",
    "payment.template",
    "mobility_customer.fields",
    "collective_invoice.fields",
    "collective_invoice.pdf_is_internal",
    "service.names_on_the_wire",
    "conventions.timestamps",
    "conventions.dates",
    "bank_connection_status.states",
    "transaction_status.states",
)
@pytest.mark.parametrize("id", READ_AS)
def test_every_described_field_reaches_the_flow_as_the_sentence_says(id: str, read: Mapping[str, Rows]) -> None:
    """The names, types and nulls are read from the quotation itself, the values from what the actions give."""
    rows = read[READ_AS[id]]
    described = [field for quotation in QUOTATIONS[id] for field in described_fields(quotation)]
    values_seen = set(found_in(rows, VALUES_OF[id])) if id in VALUES_OF else set()
    assert values_seen <= {field.name for field in described}, "a value that is not listed"
    fields = [field for field in described if field.name not in values_seen | BESIDE.get(id, set())]
    assert fields
    for field in fields:
        values = list(found_in(rows, field.name))
        assert values, f"{field.name} is nowhere in what is read"
        assert field.nullable or None not in values, f"{field.name} is null"
        fits = TYPES.get(field.type, lambda value: True)
        assert [value for value in values if value is not None and not fits(value)] == [], field
