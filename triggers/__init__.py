# generated: `make handlers` writes it anew
"""The handlers of all triggers."""

from __future__ import annotations

from connector.core import lazy_names

TYPE_CHECKING = False  # as in `typing`, without its import
if TYPE_CHECKING:
    from connector.triggers.any.approval_requested import ApprovalRequested
    from connector.triggers.any.credits_low import CreditsLow
    from connector.triggers.any.run_finished import RunFinished
    from connector.triggers.banking.bank_connection_needs_attention import BankConnectionNeedsAttention
    from connector.triggers.banking.banking_event import BankingEvent
    from connector.triggers.banking.connection_destroyed import ConnectionDestroyed
    from connector.triggers.banking.connection_error import ConnectionError
    from connector.triggers.banking.consent_expires_soon import ConsentExpiresSoon
    from connector.triggers.banking.new_bank_account import NewBankAccount
    from connector.triggers.banking.new_payment import NewPayment
    from connector.triggers.banking.new_transaction import NewTransaction
    from connector.triggers.banking.payment_failed import PaymentFailed
    from connector.triggers.banking.payment_needs_confirmation import PaymentNeedsConfirmation
    from connector.triggers.banking.payment_settled import PaymentSettled
    from connector.triggers.banking.payment_status_changed import PaymentStatusChanged
    from connector.triggers.banking.payment_update import PaymentUpdate
    from connector.triggers.banking.refresh_complete import RefreshComplete
    from connector.triggers.banking.transaction_changed import TransactionChanged
    from connector.triggers.ledger.open_item_changed import OpenItemChanged
    from connector.triggers.mobility.new_mobility_customer import NewMobilityCustomer

__all__ = [
    "ApprovalRequested",
    "BankConnectionNeedsAttention",
    "BankingEvent",
    "ConnectionDestroyed",
    "ConnectionError",
    "ConsentExpiresSoon",
    "CreditsLow",
    "NewBankAccount",
    "NewMobilityCustomer",
    "NewPayment",
    "NewTransaction",
    "OpenItemChanged",
    "PaymentFailed",
    "PaymentNeedsConfirmation",
    "PaymentSettled",
    "PaymentStatusChanged",
    "PaymentUpdate",
    "RefreshComplete",
    "RunFinished",
    "TransactionChanged",
]

__getattr__ = lazy_names(
    __name__,
    {
        "ApprovalRequested": "connector.triggers.any.approval_requested",
        "BankConnectionNeedsAttention": "connector.triggers.banking.bank_connection_needs_attention",
        "BankingEvent": "connector.triggers.banking.banking_event",
        "ConnectionDestroyed": "connector.triggers.banking.connection_destroyed",
        "ConnectionError": "connector.triggers.banking.connection_error",
        "ConsentExpiresSoon": "connector.triggers.banking.consent_expires_soon",
        "CreditsLow": "connector.triggers.any.credits_low",
        "NewBankAccount": "connector.triggers.banking.new_bank_account",
        "NewMobilityCustomer": "connector.triggers.mobility.new_mobility_customer",
        "NewPayment": "connector.triggers.banking.new_payment",
        "NewTransaction": "connector.triggers.banking.new_transaction",
        "OpenItemChanged": "connector.triggers.ledger.open_item_changed",
        "PaymentFailed": "connector.triggers.banking.payment_failed",
        "PaymentNeedsConfirmation": "connector.triggers.banking.payment_needs_confirmation",
        "PaymentSettled": "connector.triggers.banking.payment_settled",
        "PaymentStatusChanged": "connector.triggers.banking.payment_status_changed",
        "PaymentUpdate": "connector.triggers.banking.payment_update",
        "RefreshComplete": "connector.triggers.banking.refresh_complete",
        "RunFinished": "connector.triggers.any.run_finished",
        "TransactionChanged": "connector.triggers.banking.transaction_changed",
    },
)
