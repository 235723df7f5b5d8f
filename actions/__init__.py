# generated: `make handlers` writes it anew
"""The handlers of all actions."""

from __future__ import annotations

from connector.core import lazy_names

TYPE_CHECKING = False  # as in `typing`, without its import
if TYPE_CHECKING:
    from connector.actions.any.call_api import CallApi
    from connector.actions.banking.get_bank_connection import GetBankConnection
    from connector.actions.banking.get_payment import GetPayment
    from connector.actions.banking.get_transaction import GetTransaction
    from connector.actions.banking.get_webhook_url import GetWebhookUrl
    from connector.actions.banking.initiate_payment import InitiatePayment
    from connector.actions.banking.list_bank_accounts import ListBankAccounts
    from connector.actions.banking.list_payments import ListPayments
    from connector.actions.banking.list_transactions import ListTransactions
    from connector.actions.banking.set_webhook_url import SetWebhookUrl
    from connector.actions.banking.start_bank_connect import StartBankConnect
    from connector.actions.ledger.check_permissions import CheckPermissions
    from connector.actions.ledger.create_cash_book_entry import CreateCashBookEntry
    from connector.actions.ledger.get_due_dates import GetDueDates
    from connector.actions.ledger.get_invoice_folder import GetInvoiceFolder
    from connector.actions.ledger.get_open_items import GetOpenItems
    from connector.actions.ledger.get_trial_balance import GetTrialBalance
    from connector.actions.ledger.list_cash_books import ListCashBooks
    from connector.actions.ledger.list_document_types import ListDocumentTypes
    from connector.actions.ledger.list_invoice_folders import ListInvoiceFolders
    from connector.actions.ledger.list_ledger_connections import ListLedgerConnections
    from connector.actions.ledger.list_payment_terms import ListPaymentTerms
    from connector.actions.ledger.save_person_account import SavePersonAccount
    from connector.actions.mobility.create_collective_invoice import CreateCollectiveInvoice
    from connector.actions.mobility.list_mobility_customers import ListMobilityCustomers

__all__ = [
    "CallApi",
    "CheckPermissions",
    "CreateCashBookEntry",
    "CreateCollectiveInvoice",
    "GetBankConnection",
    "GetDueDates",
    "GetInvoiceFolder",
    "GetOpenItems",
    "GetPayment",
    "GetTransaction",
    "GetTrialBalance",
    "GetWebhookUrl",
    "InitiatePayment",
    "ListBankAccounts",
    "ListCashBooks",
    "ListDocumentTypes",
    "ListInvoiceFolders",
    "ListLedgerConnections",
    "ListMobilityCustomers",
    "ListPaymentTerms",
    "ListPayments",
    "ListTransactions",
    "SavePersonAccount",
    "SetWebhookUrl",
    "StartBankConnect",
]

__getattr__ = lazy_names(
    __name__,
    {
        "CallApi": "connector.actions.any.call_api",
        "CheckPermissions": "connector.actions.ledger.check_permissions",
        "CreateCashBookEntry": "connector.actions.ledger.create_cash_book_entry",
        "CreateCollectiveInvoice": "connector.actions.mobility.create_collective_invoice",
        "GetBankConnection": "connector.actions.banking.get_bank_connection",
        "GetDueDates": "connector.actions.ledger.get_due_dates",
        "GetInvoiceFolder": "connector.actions.ledger.get_invoice_folder",
        "GetOpenItems": "connector.actions.ledger.get_open_items",
        "GetPayment": "connector.actions.banking.get_payment",
        "GetTransaction": "connector.actions.banking.get_transaction",
        "GetTrialBalance": "connector.actions.ledger.get_trial_balance",
        "GetWebhookUrl": "connector.actions.banking.get_webhook_url",
        "InitiatePayment": "connector.actions.banking.initiate_payment",
        "ListBankAccounts": "connector.actions.banking.list_bank_accounts",
        "ListCashBooks": "connector.actions.ledger.list_cash_books",
        "ListDocumentTypes": "connector.actions.ledger.list_document_types",
        "ListInvoiceFolders": "connector.actions.ledger.list_invoice_folders",
        "ListLedgerConnections": "connector.actions.ledger.list_ledger_connections",
        "ListMobilityCustomers": "connector.actions.mobility.list_mobility_customers",
        "ListPaymentTerms": "connector.actions.ledger.list_payment_terms",
        "ListPayments": "connector.actions.banking.list_payments",
        "ListTransactions": "connector.actions.banking.list_transactions",
        "SavePersonAccount": "connector.actions.ledger.save_person_account",
        "SetWebhookUrl": "connector.actions.banking.set_webhook_url",
        "StartBankConnect": "connector.actions.banking.start_bank_connect",
    },
)
