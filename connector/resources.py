# generated: `make handlers` writes it anew
"""What the service answers with, as it is described. What an answer does not have is None, whatever its
described type; what does not fit that type stays as it came; what nobody described is in `model_extra`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from connector.core.manifest.handlers import ABSENT, Amount, Day, Moment, Resource


class PaymentTermPeriod(Resource):
    """One period of a payment term with period logic; all its fields are descriptive texts."""

    rechnungsbereich: str = ABSENT
    skontoFrist1: str = ABSENT
    skontoFrist2: str | None = ABSENT
    nettoFrist: str = ABSENT


class PaymentTerm(Resource):
    """When an invoice is due, and what paying early saves."""

    id: str = ABSENT
    bezeichnung: str = ABSENT
    skontoFrist1: Decimal | None = ABSENT
    skontoSatz1: Decimal = ABSENT
    skontoFrist2: Decimal | None = ABSENT
    skontoSatz2: Decimal = ABSENT
    nettoFrist: Decimal | None = ABSENT
    faelligkeitsart: str = ABSENT
    perioden: list[PaymentTermPeriod] = ABSENT


class DueDates(Resource):
    """Until when an invoice can be paid with discount, and when it is due; dates for terms in days, texts by period."""

    id: str = ABSENT
    bezeichnung: str = ABSENT
    faelligkeitsart: str = ABSENT
    belegdatum: Day = ABSENT
    skontoDatum1: Day | None = ABSENT
    skontoSatz1: Decimal = ABSENT
    skontoDatum2: Day | None = ABSENT
    skontoSatz2: Decimal = ABSENT
    nettoDatum: Day | None = ABSENT
    perioden: list[PaymentTermPeriod] = ABSENT


class Balance(Resource):
    """An amount on one side of an account."""

    betrag: Decimal = ABSENT
    sollHabenKennzeichen: str = ABSENT


class PeriodValue(Resource):
    """An account's balance in one period; period 14 includes special periods."""

    periode: int = ABSENT
    saldo: Balance = ABSENT


class AccountLine(Resource):
    """An account's number and label."""

    kontobeschriftung: str = ABSENT
    kontonummer: str = ABSENT


class TrialBalanceRow(Resource):
    """One account of the trial balance."""

    kontobeschriftung: str = ABSENT
    kontonummer: str = ABSENT
    saldo: Balance = ABSENT
    periodenwerte: list[PeriodValue] = ABSENT
    ebWert: Balance | None = ABSENT
    umsatzHaben: Decimal = ABSENT
    umsatzSoll: Decimal = ABSENT


class CostCentres(Resource):
    """The two cost centres of a booking line."""

    kost1: str | None = ABSENT
    kost2: str | None = ABSENT


class BookingLine(Resource):
    """One line of a booking."""

    kontonummer: str = ABSENT
    kostenstellen: CostCentres = ABSENT
    buSchluessel: str | None = ABSENT
    umsatz: Decimal = ABSENT
    belegfeld1: str = ABSENT
    belegdatum: Moment = ABSENT


class Booking(Resource):
    """One booking."""

    id: str | None = ABSENT
    waehrung: str = ABSENT
    sollHabenKennzeichen: str = ABSENT
    buchungstext: str = ABSENT
    buchungszeilen: list[BookingLine] = ABSENT


class OpenItem(Resource):
    """One document that is not settled yet."""

    beleg: str = ABSENT
    belegdatum: Day = ABSENT
    buchungstext: str = ABSENT
    saldo: Decimal = ABSENT


class OpenItemsAccount(Resource):
    """One person account with its open items."""

    kontonummer: str = ABSENT
    bezeichnung: str = ABSENT
    isDebitor: bool = ABSENT
    totalSaldo: Decimal = ABSENT
    posten: list[OpenItem] = ABSENT


class OpenItems(Resource):
    """All open items at a cut-off date; the sum of the creditors is negative for liabilities."""

    stichtag: Day = ABSENT
    konten: list[OpenItemsAccount] = ABSENT
    sumDebitoren: Decimal = ABSENT
    sumKreditoren: Decimal = ABSENT


class BankConnection(Resource):
    """A user's access to one bank."""

    id: str = ABSENT
    provider_name: str = ABSENT
    provider_code: str = ABSENT
    country_code: str = ABSENT
    status: str = ABSENT
    owner_user_id: str | None = ABSENT
    automatic_refresh: bool = ABSENT
    next_refresh_possible_at: Moment = ABSENT
    created_at: Moment = ABSENT
    updated_at: Moment = ABSENT
    display_name: str | None = ABSENT
    logo_url: str = ABSENT
    consent_expires_at: Moment = ABSENT
    error_class: str | None = ABSENT
    error_message: str | None = ABSENT


class TransactionsCount(Resource):
    """How many transactions a bank account has."""

    posted: int = ABSENT
    pending: int = ABSENT


class BankAccountExtra(Resource):
    """What the bank adds to a bank account."""

    iban: str = ABSENT
    holder_name: str = ABSENT
    transactions_count: TransactionsCount = ABSENT


class BankAccount(Resource):
    """One account behind a bank connection."""

    can_hide: bool = ABSENT
    id: str = ABSENT
    name: str = ABSENT
    nature: str = ABSENT
    balance: Decimal = ABSENT
    currency_code: str = ABSENT
    created_at: Moment = ABSENT
    updated_at: Moment = ABSENT
    extra: BankAccountExtra = ABSENT


class ParsedDescription(Resource):
    """The SEPA fields found in a transaction's purpose text."""

    cred: str | None = ABSENT
    mref: str | None = ABSENT
    kref: str | None = ABSENT
    debt: str | None = ABSENT
    svwz: str | None = ABSENT
    abwa: str | None = ABSENT
    abwe: str | None = ABSENT
    bic: str | None = ABSENT
    oamt: str | None = ABSENT
    coam: str | None = ABSENT
    purp: str | None = ABSENT


class TransactionExtra(Resource):
    """What the bank adds to a transaction."""

    time: str = ABSENT
    payee: str = ABSENT
    payer: str = ABSENT
    additional: str = ABSENT
    merchant_id: str = ABSENT
    posting_date: Day = ABSENT
    end_to_end_id: str = ABSENT
    payee_information: str = ABSENT
    payer_information: str = ABSENT
    account_balance_snapshot: Decimal = ABSENT
    categorization_confidence: Decimal = ABSENT


class Transaction(Resource):
    """One movement on a bank account. Its id is the cursor: each newly ingested transaction gets a higher one."""

    id: str = ABSENT
    account_id: str = ABSENT
    payment_id: str = ABSENT
    duplicated: bool = ABSENT
    mode: str = ABSENT
    status: str = ABSENT
    made_on: Day = ABSENT
    amount: Decimal = ABSENT
    currency_code: str = ABSENT
    description: str = ABSENT
    description_parsed: ParsedDescription = ABSENT
    category: str = ABSENT
    extra: TransactionExtra = ABSENT
    created_at: Moment = ABSENT
    updated_at: Moment = ABSENT


class Payment(Resource):
    """One payment that was initiated through the service."""

    id: str = ABSENT
    organization_id: str = ABSENT
    status: str = ABSENT
    raw_provider_status: str | None = ABSENT
    connection_id: str = ABSENT
    account_id: str = ABSENT
    provider_code: str = ABSENT
    provider_name: str = ABSENT
    template_identifier: str = ABSENT
    amount: Decimal = ABSENT
    currency_code: str = ABSENT
    creditor_name: str = ABSENT
    creditor_iban: str = ABSENT
    debtor_iban: str = ABSENT
    end_to_end_id: str = ABSENT
    description: str = ABSENT
    reference: str = ABSENT
    created_at: Moment = ABSENT
    updated_at: Moment = ABSENT
    custom_fields: dict[str, Any] = ABSENT


class WebhookUrl(Resource):
    """The URL to which events go."""

    webhook_url: str | None = ABSENT


class ErrorBody(Resource):
    """The body of every refusal."""

    error: str = ABSENT


class LedgerErrorBody(Resource):
    """What ledger endpoints may add: `code` is set only when the cause is clearly recognised."""

    error: str = ABSENT
    message: str = ABSENT
    code: str = ABSENT
    reconnectUrl: str = ABSENT
    activeSubscriptions: list[str] = ABSENT
    details: dict[str, Any] = ABSENT


class RvoCheck(Resource):
    """One area's entry in the permission probe."""

    status: str = ABSENT
    httpStatus: int | None = ABSENT
    maesnType: str | None = ABSENT
    message: str | None = ABSENT


class Event(Resource):
    """The envelope. It carries no id and no signature; an unknown `event` is no error."""

    event: str = ABSENT
    data: dict[str, Any] = ABSENT
    received_at: Moment = ABSENT


class RefreshedAccount(Resource):
    """A bank account with new data."""

    id: str = ABSENT
    name: str = ABSENT
    holder_name: str = ABSENT
    nature: str = ABSENT
    balance: Decimal = ABSENT
    currency_code: str = ABSENT
    iban: str = ABSENT


class RefreshComplete(Resource):
    """A refresh finished and there is new account data."""

    connection_id: str = ABSENT
    provider_name: str = ABSENT
    provider_code: str = ABSENT
    country_code: str = ABSENT
    refresh_type: str = ABSENT
    status: str = ABSENT
    accounts: list[RefreshedAccount] = ABSENT


class BankConnectionFailed(Resource):
    """A bank connection fails, for example because the consent has expired (`connection_error`)."""

    connection_id: str = ABSENT
    provider_name: str = ABSENT
    provider_code: str = ABSENT
    country_code: str = ABSENT
    refresh_type: str = ABSENT
    error_class: str = ABSENT
    error_message: str = ABSENT


class BankConnectionDestroyed(Resource):
    """A bank connection was deleted (`connection_destroyed`)."""

    connection_id: str = ABSENT
    provider_name: str = ABSENT
    provider_code: str = ABSENT
    country_code: str = ABSENT
    refresh_type: str = ABSENT


class PaymentAttributes(Resource):
    """The payment as it was ordered. Here, and only here, the amount is text."""

    amount: Amount = ABSENT
    currency_code: str = ABSENT
    description: str = ABSENT
    creditor_iban: str = ABSENT
    creditor_name: str = ABSENT
    debtor_iban: str = ABSENT
    end_to_end_id: str = ABSENT
    customer_ip_address: str = ABSENT


class PaymentProgress(Resource):
    """A payment waits for an extra confirmation such as a TAN."""

    payment_id: str = ABSENT
    status: str = ABSENT
    custom_fields: dict[str, Any] = ABSENT


class PaymentUpdate(Resource):
    """A payment's status changed. Only `settled` is final success; `executed` is not."""

    payment_id: str = ABSENT
    status: str = ABSENT
    custom_fields: dict[str, Any] = ABSENT
    raw_provider_status: str | None = ABSENT
    template_identifier: str = ABSENT
    payment_attributes: PaymentAttributes = ABSENT


class WaitingRun(Resource):
    """A run that waits, or waited, for the approval of another person. Told by Kontor, not by the service."""

    run: str = ABSENT
    state: str = ABSENT
    action: str = ABSENT
    key: str | None = ABSENT
    inputs: dict[str, Any] = ABSENT
    reasons: list[str] = ABSENT
    asked_by: str | None = ABSENT
    asked_at: Moment = ABSENT
    expires_at: Moment = ABSENT
    decided_by: str | None = ABSENT
    decided_at: Moment | None = ABSENT
    why: str | None = ABSENT
    output: dict[str, Any] | None = ABSENT
    error: dict[str, Any] | None = ABSENT
    url: str | None = ABSENT


class Platform(Resource):
    """The credit balance after a call."""

    neuesGuthaben: Decimal = ABSENT


class LedgerConnection(Resource):
    """One client's access to the accounting provider, as the list shows it."""

    id: str = ABSENT
    bezeichnung: str | None = ABSENT
    status: str = ABSENT
    verbunden_seit: Moment | None = ABSENT
    erstellt_am: Moment = ABSENT


class CashBook(Resource):
    """A cash book; its `bezeichnung` is the `kassenname` of its entries."""

    bezeichnung: str = ABSENT


class InvoiceFolder(Resource):
    """A folder for incoming or outgoing invoices."""

    bezeichnung: str = ABSENT
    ordnertyp: str = ABSENT


class PickedInvoiceFolder(Resource):
    """A folder for invoices that was picked, with the document type that was picked for it."""

    bezeichnung: str = ABSENT
    ordnertyp: str = ABSENT
    document_type: str = ABSENT


class TaskInformation(Resource):
    """One message of the provider about a write."""

    filename: str = ABSENT
    message: str = ABSENT
    timestamp: Moment = ABSENT
    type: str = ABSENT


class TaskResult(Resource):
    """What the provider answered to most ledger writes (`ledgerAntwort`)."""

    status: str = ABSENT
    information: list[TaskInformation] = ABSENT


class CashBookMessage(Resource):
    """One message of the provider about a cash book entry."""

    dateiname: str = ABSENT
    nachricht: str = ABSENT
    zeitstempel: Moment = ABSENT
    typ: str = ABSENT


class CashBookResult(Resource):
    """What the provider answered to a cash book entry."""

    status: str = ABSENT
    meldungen: list[CashBookMessage] = ABSENT


class TaxRate(Resource):
    """The tax of one line."""

    prozent: Decimal = ABSENT
    buSchluessel: str = ABSENT


class CostCentre(Resource):
    """A cost centre of one line."""

    name: str = ABSENT


class CashBookLine(Resource):
    """One line of a cash book entry. The answer spells `belegnummer`, the request `belegNummer`."""

    gegenkonto: str = ABSENT
    erstellungsdatum: Moment = ABSENT
    waehrung: str = ABSENT
    belegtext: str = ABSENT
    belegnummer: str = ABSENT
    betrag: Decimal = ABSENT
    steuersatz: TaxRate = ABSENT
    kostenstellen: list[CostCentre] = ABSENT


class CashBookEntry(Resource):
    """A cash book entry as the service answers it. Positive amounts are income, negative ones expense."""

    erstellungsdatum: Moment = ABSENT
    waehrung: str = ABSENT
    kassenname: str = ABSENT
    betrag: Decimal = ABSENT
    transaktionsdatum: Moment = ABSENT
    belegzeilen: list[CashBookLine] = ABSENT
    belegbilder: list[dict[str, Any]] = ABSENT
    ledgerAntwort: CashBookResult | None = ABSENT
    platform: Platform = ABSENT


class AddressLines(Resource):
    """A customer's address."""

    street: str = ABSENT
    postal_code: str = ABSENT
    city: str = ABSENT


class MobilityCustomer(Resource):
    """Who is invoiced for tickets."""

    id: str = ABSENT
    organization_id: str = ABSENT
    mobility_customer_id: str | None = ABSENT
    name: str = ABSENT
    address_lines: AddressLines = ABSENT
    created_at: Moment = ABSENT
    updated_at: Moment = ABSENT


class CollectiveInvoice(Resource):
    """One invoice over all tickets of a customer that were open. Its amount is in cents."""

    id: str = ABSENT
    organization_id: str = ABSENT
    customer_id: str = ABSENT
    mobility_invoice_id: str = ABSENT
    invoice_number: str | None = ABSENT
    invoice_pdf_url: str | None = ABSENT
    amount_in_cents: int = ABSENT
    ticket_count: int = ABSENT
    invoiced_at: Moment = ABSENT
    created_at: Moment = ABSENT


class EmailAddress(Resource):
    """An e-mail address; the values of `typ` are not described."""

    email: str = ABSENT
    typ: str = ABSENT


class PhoneNumber(Resource):
    """A phone number; the values of `typ` are not described."""

    nummer: str = ABSENT
    typ: str = ABSENT


class PartnerBankAccount(Resource):
    """A bank account of the business partner."""

    iban: str = ABSENT
    bic: str = ABSENT
    name: str = ABSENT
    istHauptkonto: bool = ABSENT


class ContactPerson(Resource):
    """Somebody at the business partner."""

    vorname: str = ABSENT
    nachname: str = ABSENT
    anrede: str = ABSENT
    emailAdressen: list[EmailAddress] = ABSENT
    telefonnummern: list[PhoneNumber] = ABSENT


class Address(Resource):
    """An address as it is sent."""

    adresszeile: str = ABSENT
    postleitzahl: str = ABSENT
    ort: str = ABSENT
    laendercode: str = ABSENT
    typ: str = ABSENT


class AnsweredAddress(Resource):
    """An address as the service answers it."""

    adresszeile: str = ABSENT
    postleitzahl: str = ABSENT
    ort: str = ABSENT
    laendercode: str = ABSENT
    typ: str = ABSENT
    adresszeile2: str | None = ABSENT


class PersonAccountRequest(Resource):
    """What is sent to create or update a person account."""

    personenkontoNummer: str = ABSENT
    kontaktTyp: str = ABSENT
    kontenrahmen: str = ABSENT
    kontonummernLaenge: int = ABSENT
    geschaeftsjahrStartDatum: Day = ABSENT
    firmenname: str = ABSENT
    ustId: str = ABSENT
    emailAdressen: list[EmailAddress] = ABSENT
    telefonnummern: list[PhoneNumber] = ABSENT
    bankkonten: list[PartnerBankAccount] = ABSENT
    kontaktpersonen: list[ContactPerson] = ABSENT
    adressen: list[Address] = ABSENT


class PersonAccountEntry(Resource):
    """One business partner in the answer. Here `personenkontoNummer` is a number, in the request it is text."""

    id: str | None = ABSENT
    kontaktTyp: str = ABSENT
    personenkontoNummer: Decimal = ABSENT
    nummer: Any = ABSENT
    firmenname: str = ABSENT
    ustId: str = ABSENT
    aktualisiertAm: Moment | None = ABSENT
    projektId: str | None = ABSENT
    bankkonten: list[PartnerBankAccount] = ABSENT
    emailAdressen: list[EmailAddress] = ABSENT
    telefonnummern: list[PhoneNumber] = ABSENT
    kontaktpersonen: list[ContactPerson] = ABSENT
    adressen: list[AnsweredAddress] = ABSENT


class PersonAccount(Resource):
    """The `data` of the answer."""

    id: str | None = ABSENT
    kontonummernLaenge: int = ABSENT
    kontenrahmen: str = ABSENT
    erstelltAm: Moment = ABSENT
    geschaeftsjahrStartDatum: Day = ABSENT
    eintraege: list[PersonAccountEntry] = ABSENT


class PersonAccountResult(Resource):
    """What the provider answered; the shape of its data and messages is not described."""

    status: str = ABSENT
    antwortDaten: Any = ABSENT
    meldungen: list[Any] = ABSENT


class PersonAccountReply(Resource):
    """The whole answer: the data, what the provider said, and the credit balance."""

    data: PersonAccount = ABSENT
    ledgerAntwort: PersonAccountResult = ABSENT
    platform: Platform = ABSENT
