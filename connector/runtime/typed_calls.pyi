# generated: `make handlers` writes it anew
"""What type checkers know of `invoke` and `run`: the inputs of each action, by its id, and handlers.

Ids that no checker can know, of further manifests or from data, are an `ActionId`.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, overload

from connector.core.callers import Invoker
from connector.core.manifest.handlers import Action as HandledAction
from connector.core.manifest.model import ActionId
from connector.runtime.result import Result

Output = TypeVar("Output")

class CallApiInputs(TypedDict):
    """The inputs of `call_api`."""

    method: NotRequired[str | None]
    path: str
    query: NotRequired[Mapping[str, Any] | None]
    body: NotRequired[Mapping[str, Any] | None]

class GetBankConnectionInputs(TypedDict):
    """The inputs of `get_bank_connection`."""

    id: str

class GetPaymentInputs(TypedDict):
    """The inputs of `get_payment`."""

    id: str

class GetTransactionInputs(TypedDict):
    """The inputs of `get_transaction`."""

    account_id: str
    id: str

class GetWebhookUrlInputs(TypedDict):
    """The inputs of `get_webhook_url`."""

class InitiatePaymentExtra(TypedDict):
    """The `extra`."""

    customer_ip_address: NotRequired[str | None]

class InitiatePaymentInputs(TypedDict):
    """The inputs of `initiate_payment`."""

    account_id: str
    creditor_name: str
    creditor_iban: str
    amount: Decimal | float | str
    description: NotRequired[str | None]
    template_identifier: NotRequired[str | None]
    execution_date: NotRequired[date | str | None]
    end_to_end_id: NotRequired[str | None]
    reference: NotRequired[str | None]
    currency_code: NotRequired[str | None]
    custom_fields: NotRequired[Mapping[str, Any] | None]
    extra: NotRequired[InitiatePaymentExtra | None]

class ListBankAccountsInputs(TypedDict):
    """The inputs of `list_bank_accounts`."""

    connection_id: NotRequired[str | None]
    payments_only: NotRequired[bool | str | None]
    api: NotRequired[str | None]

class ListPaymentsInputs(TypedDict):
    """The inputs of `list_payments`."""

    connection_id: NotRequired[str | None]
    account_id: NotRequired[str | None]
    created_from: NotRequired[date | str | None]
    created_to: NotRequired[date | str | None]
    limit: NotRequired[int | str | None]
    sort: NotRequired[str | None]
    from_id: NotRequired[str | None]

class ListTransactionsInputs(TypedDict):
    """The inputs of `list_transactions`."""

    connection_id: NotRequired[str | None]
    account_id: NotRequired[str | None]
    from_date: NotRequired[date | str | None]
    to_date: NotRequired[date | str | None]
    sort: NotRequired[str | None]
    from_id: NotRequired[str | None]

class SetWebhookUrlInputs(TypedDict):
    """The inputs of `set_webhook_url`."""

    webhook_url: str

class StartBankConnectInputs(TypedDict):
    """The inputs of `start_bank_connect`."""

    provider_code: NotRequired[str | None]
    country_code: NotRequired[str | None]
    return_url: NotRequired[str | None]
    extra: NotRequired[Mapping[str, Any] | None]

class CheckPermissionsInputs(TypedDict):
    """The inputs of `check_permissions`."""

    ledger_connection: str
    client: NotRequired[str | None]

class CreateCashBookEntryBelegzeilenSteuersatz(TypedDict):
    """The `steuersatz`."""

    prozent: NotRequired[Decimal | float | str | None]
    buSchluessel: NotRequired[str | None]

class CreateCashBookEntryBelegzeilen(TypedDict):
    """One of `belegzeilen`."""

    betrag: Decimal | float | str
    belegtext: NotRequired[str | None]
    gegenkonto: NotRequired[str | None]
    belegNummer: NotRequired[str | None]
    steuersatz: NotRequired[CreateCashBookEntryBelegzeilenSteuersatz | None]
    kostenstelle1: NotRequired[str | None]
    kostenstelle2: NotRequired[str | None]

class CreateCashBookEntryBelegbilder(TypedDict):
    """One of `belegbilder`."""

    content: bytes | str
    dateiname: str

class CreateCashBookEntryInputs(TypedDict):
    """The inputs of `create_cash_book_entry`."""

    ledger_connection: str
    kassenname: str
    betrag: NotRequired[Decimal | float | str | None]
    waehrung: NotRequired[str | None]
    transaktionsdatum: datetime | str
    belegzeilen: Sequence[CreateCashBookEntryBelegzeilen]
    belegbilder: NotRequired[Sequence[CreateCashBookEntryBelegbilder] | None]
    client: NotRequired[str | None]

class GetDueDatesInputs(TypedDict):
    """The inputs of `get_due_dates`."""

    ledger_connection: str
    geschaeftsjahrStartDatum: date | str
    payment_term: str
    belegdatum: date | str
    client: NotRequired[str | None]

class GetInvoiceFolderInputs(TypedDict):
    """The inputs of `get_invoice_folder`."""

    ledger_connection: str
    folder_type: NotRequired[str | None]
    bezeichnung: str
    document_type: NotRequired[str | None]
    client: NotRequired[str | None]

class GetOpenItemsInputs(TypedDict):
    """The inputs of `get_open_items`."""

    ledger_connection: str
    cutoff: NotRequired[date | str | None]
    side: NotRequired[str | None]
    opening_balance: NotRequired[str | None]
    client: NotRequired[str | None]
    extra: NotRequired[Mapping[str, Any] | None]

class GetTrialBalanceInputs(TypedDict):
    """The inputs of `get_trial_balance`."""

    ledger_connection: str
    geschaeftsjahrStartDatum: date | str
    account_number: NotRequired[str | None]
    client: NotRequired[str | None]

class ListCashBooksInputs(TypedDict):
    """The inputs of `list_cash_books`."""

    ledger_connection: str
    client: NotRequired[str | None]

class ListDocumentTypesInputs(TypedDict):
    """The inputs of `list_document_types`."""

    ledger_connection: str
    client: NotRequired[str | None]

class ListInvoiceFoldersInputs(TypedDict):
    """The inputs of `list_invoice_folders`."""

    ledger_connection: str
    folder_type: NotRequired[str | None]
    client: NotRequired[str | None]

class ListLedgerConnectionsInputs(TypedDict):
    """The inputs of `list_ledger_connections`."""

    module: NotRequired[str | None]

class ListPaymentTermsInputs(TypedDict):
    """The inputs of `list_payment_terms`."""

    ledger_connection: str
    geschaeftsjahrStartDatum: date | str
    client: NotRequired[str | None]

class SavePersonAccountAdressen(TypedDict):
    """One of `adressen`."""

    adresszeile: NotRequired[str | None]
    postleitzahl: NotRequired[str | None]
    ort: NotRequired[str | None]
    laendercode: NotRequired[str | None]
    typ: NotRequired[str | None]

class SavePersonAccountBankkonten(TypedDict):
    """One of `bankkonten`."""

    iban: str
    bic: NotRequired[str | None]
    name: NotRequired[str | None]
    istHauptkonto: NotRequired[bool | str | None]

class SavePersonAccountEmailAdressen(TypedDict):
    """One of `emailAdressen`."""

    email: str
    typ: NotRequired[str | None]

class SavePersonAccountTelefonnummern(TypedDict):
    """One of `telefonnummern`."""

    nummer: str
    typ: NotRequired[str | None]

class SavePersonAccountKontaktpersonenEmailAdressen(TypedDict):
    """One of `emailAdressen`."""

    email: str
    typ: NotRequired[str | None]

class SavePersonAccountKontaktpersonenTelefonnummern(TypedDict):
    """One of `telefonnummern`."""

    nummer: str
    typ: NotRequired[str | None]

class SavePersonAccountKontaktpersonen(TypedDict):
    """One of `kontaktpersonen`."""

    vorname: NotRequired[str | None]
    nachname: NotRequired[str | None]
    anrede: NotRequired[str | None]
    emailAdressen: NotRequired[Sequence[SavePersonAccountKontaktpersonenEmailAdressen] | None]
    telefonnummern: NotRequired[Sequence[SavePersonAccountKontaktpersonenTelefonnummern] | None]

class SavePersonAccountInputs(TypedDict):
    """The inputs of `save_person_account`."""

    ledger_connection: str
    personenkontoNummer: str
    firmenname: str
    kontonummernLaenge: int | str
    geschaeftsjahrStartDatum: date | str
    kontaktTyp: NotRequired[str | None]
    kontenrahmen: NotRequired[str | None]
    ustId: NotRequired[str | None]
    adressen: NotRequired[Sequence[SavePersonAccountAdressen] | None]
    bankkonten: NotRequired[Sequence[SavePersonAccountBankkonten] | None]
    emailAdressen: NotRequired[Sequence[SavePersonAccountEmailAdressen] | None]
    telefonnummern: NotRequired[Sequence[SavePersonAccountTelefonnummern] | None]
    kontaktpersonen: NotRequired[Sequence[SavePersonAccountKontaktpersonen] | None]
    client: NotRequired[str | None]

class CreateCollectiveInvoiceInputs(TypedDict):
    """The inputs of `create_collective_invoice`."""

    customer_id: str

class ListMobilityCustomersInputs(TypedDict):
    """The inputs of `list_mobility_customers`."""

class Calls:
    """A blocking session."""

    @overload
    def invoke(
        self,
        action: Literal["call_api"],
        inputs: CallApiInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_bank_connection"],
        inputs: GetBankConnectionInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_payment"],
        inputs: GetPaymentInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_transaction"],
        inputs: GetTransactionInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_webhook_url"],
        inputs: GetWebhookUrlInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["initiate_payment"],
        inputs: InitiatePaymentInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_bank_accounts"],
        inputs: ListBankAccountsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_payments"],
        inputs: ListPaymentsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_transactions"],
        inputs: ListTransactionsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["set_webhook_url"],
        inputs: SetWebhookUrlInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["start_bank_connect"],
        inputs: StartBankConnectInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["check_permissions"],
        inputs: CheckPermissionsInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["create_cash_book_entry"],
        inputs: CreateCashBookEntryInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_due_dates"],
        inputs: GetDueDatesInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_invoice_folder"],
        inputs: GetInvoiceFolderInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_open_items"],
        inputs: GetOpenItemsInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["get_trial_balance"],
        inputs: GetTrialBalanceInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_cash_books"],
        inputs: ListCashBooksInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_document_types"],
        inputs: ListDocumentTypesInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_invoice_folders"],
        inputs: ListInvoiceFoldersInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_ledger_connections"],
        inputs: ListLedgerConnectionsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_payment_terms"],
        inputs: ListPaymentTermsInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["save_person_account"],
        inputs: SavePersonAccountInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["create_collective_invoice"],
        inputs: CreateCollectiveInvoiceInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: Literal["list_mobility_customers"],
        inputs: ListMobilityCustomersInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def invoke(
        self,
        action: ActionId,
        inputs: Mapping[str, Any] = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    def run(
        self,
        action: HandledAction[Output],
        key: str | None = None,
        dry_run: Literal[False] = False,
        again: bool = False,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Output]: ...
    @overload
    def run(self, action: HandledAction[Output], key: str | None = None, *, dry_run: Literal[True]) -> Result[Any]: ...

class AsyncCalls:
    """An asynchronous session."""

    @overload
    async def invoke(
        self,
        action: Literal["call_api"],
        inputs: CallApiInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_bank_connection"],
        inputs: GetBankConnectionInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_payment"],
        inputs: GetPaymentInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_transaction"],
        inputs: GetTransactionInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_webhook_url"],
        inputs: GetWebhookUrlInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["initiate_payment"],
        inputs: InitiatePaymentInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_bank_accounts"],
        inputs: ListBankAccountsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_payments"],
        inputs: ListPaymentsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_transactions"],
        inputs: ListTransactionsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["set_webhook_url"],
        inputs: SetWebhookUrlInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["start_bank_connect"],
        inputs: StartBankConnectInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["check_permissions"],
        inputs: CheckPermissionsInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["create_cash_book_entry"],
        inputs: CreateCashBookEntryInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_due_dates"],
        inputs: GetDueDatesInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_invoice_folder"],
        inputs: GetInvoiceFolderInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_open_items"],
        inputs: GetOpenItemsInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["get_trial_balance"],
        inputs: GetTrialBalanceInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_cash_books"],
        inputs: ListCashBooksInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_document_types"],
        inputs: ListDocumentTypesInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_invoice_folders"],
        inputs: ListInvoiceFoldersInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_ledger_connections"],
        inputs: ListLedgerConnectionsInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_payment_terms"],
        inputs: ListPaymentTermsInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["save_person_account"],
        inputs: SavePersonAccountInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["create_collective_invoice"],
        inputs: CreateCollectiveInvoiceInputs,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: Literal["list_mobility_customers"],
        inputs: ListMobilityCustomersInputs = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def invoke(
        self,
        action: ActionId,
        inputs: Mapping[str, Any] = ...,
        key: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        invoker: Invoker = ...,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Any]: ...
    @overload
    async def run(
        self,
        action: HandledAction[Output],
        key: str | None = None,
        dry_run: Literal[False] = False,
        again: bool = False,
        *,
        guarded: bool = False,
        agent: bool = False,
    ) -> Result[Output]: ...
    @overload
    async def run(
        self, action: HandledAction[Output], key: str | None = None, *, dry_run: Literal[True]
    ) -> Result[Any]: ...
