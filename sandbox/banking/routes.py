"""The routes of the banking area."""

from __future__ import annotations

from connector.sandbox.assumptions import (
    CONNECT_COST,
    CREATED_STATUS,
    PAYMENT_COST,
    PAYMENT_STATUS_COST,
    WEBHOOK_URL_COST,
)
from connector.sandbox.banking.accounts import get_bank_connection, list_accounts
from connector.sandbox.banking.connect import post_connect, receive_provider_webhook
from connector.sandbox.banking.payments import create_payment, get_payment, list_payments
from connector.sandbox.banking.transactions import get_transaction, list_transactions
from connector.sandbox.banking.webhook_url import get_webhook_url, put_webhook_url
from connector.sandbox.traffic.routes import Route

ROUTES: tuple[Route, ...] = (
    Route("GET", "/v2/banking/connections/{id}", get_bank_connection),
    Route("GET", "/v2/banking/accounts", list_accounts),
    Route("GET", "/v2/banking/transactions", list_transactions, cost=1),
    Route("GET", "/v2/banking/transactions/{id}", get_transaction, cost=1),
    Route("GET", "/v2/banking/payments", list_payments),
    Route("GET", "/v2/banking/payments/{id}", get_payment, cost=PAYMENT_STATUS_COST),
    Route(
        "POST",
        "/v2/banking/payments",
        create_payment,
        cost=PAYMENT_COST,
        acts=True,
        settles_later=True,
        status=CREATED_STATUS,
    ),
    Route("POST", "/v2/banking/connect", post_connect, cost=CONNECT_COST, acts=True, status=CREATED_STATUS),
    Route("GET", "/v2/banking/webhook-url", get_webhook_url, cost=WEBHOOK_URL_COST),
    Route("PUT", "/v2/banking/webhook-url", put_webhook_url, cost=WEBHOOK_URL_COST, acts=True),
    Route("POST", "/v2/banking/webhooks/{provider}", receive_provider_webhook, acts=True, keyless=True),
)
