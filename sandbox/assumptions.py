"""What the service description leaves open and the sandbox assumes.

Wire names are in `manifests/wire.yaml`; the assumptions of the ledger and mobility areas are in those packages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

NO_KEY_STATUS = 401
NO_CREDITS_STATUS = 402
OUT_OF_SCOPE_STATUS = 403
UNKNOWN_STATUS = 404
MEDIA_TYPE_STATUS = 415
CREATED_STATUS = 201
PAYMENT_COST = 3
WEBHOOK_URL_COST = 0
PAYMENT_STATUS_COST = 0
CONNECT_COST = 0
STATUS_AFTER_CONNECT: Final = "active"
CONSENT_ERROR_CLASS = "InvalidCredentials"
CONSENT_DAYS = 180
RETRY_DELAYS = (2.0, 10.0, 60.0)
"""Seconds before the second, third and fourth attempt to deliver an event."""
MAX_AMOUNT = 999_999_999


class Assumption(Struct, frozen=True):
    id: str
    assumed: str
    open: str
    """The sentence of the service description that leaves it open."""


_STATUS = "Success status codes of all endpoints: not shown."
_KEY = "HTTP status for a missing or invalid API key: not shown."
_CODES = "Status codes belonging to each ledger error code, and full error lists per endpoint: not shown."
_PAYMENT = (
    "`POST /v2/banking/payments` initiates a payment, accepts `custom_fields`, "
    "costs 3 credits confirmed at settlement (body and response: not shown)"
)
_CONNECT = "`POST /v2/banking/connect` starts a connect flow (body and response: not shown)."
_TRANSITIONS = "All other payment transitions, including where `failed` and `rejected` can be reached from: not shown."
_INBOUND = (
    "Inbound provider webhooks under `/v2/banking/webhooks/` exist (rate limited by IP); their payload: not shown."
)
_RETRY = "Retry behaviour and the response the receiver must give: not shown."

PLATFORM: tuple[Assumption, ...] = (
    Assumption("success_status", "200; creating a payment and starting a connect flow answer 201", _STATUS),
    Assumption("key_status", "401 for a missing and for an unknown key", _KEY),
    Assumption("credits_status", "402 when the credits available do not cover the cost", _CODES),
    Assumption("scope_status", "403 when an agency key asks for an account outside its scope", _CODES),
    Assumption("unknown_status", "404 for an id or a path that does not exist, or belongs to somebody else", _CODES),
    Assumption("body_status", "415 for a body that is not announced as JSON, 400 for one that cannot be read", _CODES),
    Assumption(
        "agency_lists",
        "lists leave out what lies beyond an agency key's scope; they refuse only when nothing asked for is inside; "
        "an agency key spends its client organisation's credits",
        "Agency keys exist; for them the scope of the requested account is checked.",
    ),
    Assumption(
        "rate_window",
        "a fixed window opened by the first request; requests refused do not fill it; a call without a known key "
        "counts for its IP; inbound provider webhooks count only in their own group",
        "all `/v2/` endpoints | 200 requests | 15 minutes | API key or IP",
    ),
    Assumption(
        "rate_reset",
        "RateLimit-Reset is in seconds until the reset; 429 also carries Retry-After",
        "every response carries `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`.",
    ),
    Assumption(
        "failed_after_acting",
        "a call that acted and then answers 500 is not charged; one whose answer got lost on the way is",
        "reserved | call fails | expired automatically",
    ),
    Assumption(
        "balance_shown",
        "`neuesGuthaben` is the confirmed balance: reservations of payments under way are not taken off",
        "`platform: { neuesGuthaben: <number> }` (the credit balance after the call)",
    ),
    Assumption(
        "webhook_url_cost",
        "reading and setting the webhook URL, a payment's live status and starting a connect flow are free",
        "Credit cost of the mobility operations and the webhook-url operations: not shown.",
    ),
    Assumption(
        "webhook_url_shape",
        "both answer {data: {webhook_url: text or null}}; null or an empty text clears the URL",
        "Response shapes of both: not shown.",
    ),
    Assumption(
        "placeholder_row",
        "a `pending_connect` row carries null where a date or bank is not known yet",
        "a placeholder row with a reserved pending token is created",
    ),
    Assumption(
        "connect_shape",
        "all body properties are optional; the answer is {data: {connection_id, connect_url, pending_token, status, "
        "expires_at}}; the real row has another id than the placeholder",
        _CONNECT,
    ),
    Assumption(
        "status_after_connect",
        "the real row is `active`, and `refresh_complete` (manual) announces its accounts",
        "status after replacement is stated nowhere",
    ),
    Assumption("inbound_webhook", "no API key; the body carries `pending_token`; answers {data: {received}}", _INBOUND),
    Assumption(
        "connection_transitions",
        "an error or the end of the consent makes an `active` row `inactive`; a reconnect makes it `active` again",
        "Transitions between the other connection statuses: not shown.",
    ),
    Assumption(
        "consent_error_class",
        "an ended consent is announced as `InvalidCredentials`; a new consent lasts 180 days",
        "`error_class` (for example `InvalidCredentials`, `ProviderError`)",
    ),
    Assumption(
        "transaction_values",
        "status `posted` and `pending`, mode `normal`, `fee` and `transfer`; pending becomes posted under the same "
        "id; a transaction without a payment has payment_id null",
        "Allowed values of transaction status, mode and category, and of account nature: not shown.",
    ),
    Assumption(
        "transactions_refusals",
        "an account that is not of the bank connection asked for is 404; an empty parameter counts as left out",
        "At least one of `connection_id`, `account_id` is required, otherwise 400.",
    ),
    Assumption(
        "page_size",
        "lists are whole; the control interface can set a largest page for the transactions and the payments list",
        "Size limits of request bodies and receipt images, and maximum page sizes: not shown.",
    ),
    Assumption(
        "payments_list_current",
        "a payment is listed at once and with its custom_fields; the control interface can delay or hide them",
        "lists the organisation's payments from stored records, kept current by webhook",
    ),
    Assumption(
        "payments_from_id",
        "`from_id` is ignored unless `sort=id`; days of created_at are counted in UTC",
        "`from_id` (only payments with id greater than the value; works with `sort=id`)",
    ),
    Assumption(
        "payment_get_shape",
        "{data: payment}; 404 for an unknown id",
        "`GET /v2/banking/payments/{id}` returns the guaranteed live status of one payment (shape: not shown)",
    ),
    Assumption(
        "payment_body",
        "account, creditor name, creditor IBAN and amount are required; EUR and SEPA are the defaults; no dated "
        "execution; unknown properties are ignored; amounts have at most two decimals; the answer is {data: payment}",
        _PAYMENT,
    ),
    Assumption(
        "payment_states",
        "any later state of initiated, initiated_info_required, authorizing, authorized, processing, executed, settled "
        "can follow; failed and rejected from all but the final ones; creation itself is announced as `initiated`; "
        "a failure gives the credits back; a settled payment appears as a transaction",
        _TRANSITIONS,
    ),
    Assumption(
        "event_delivery",
        "any 2xx accepts an event, redirects are not followed; up to 4 attempts, 2, 10 and 60 seconds apart; first "
        "attempts keep the order of the events, a retry holds nobody up",
        _RETRY,
    ),
    Assumption(
        "event_signature",
        "deliveries are neither signed nor authenticated",
        "Signing or authentication of outgoing deliveries: not shown.",
    ),
    Assumption(
        "time_of_answer",
        "all answers come at once unless realistic durations are switched on",
        "typical duration 15 to 30 seconds for mid-sized clients",
    ),
)


def as_assumptions(rows: Iterable[tuple[str, str, str]]) -> tuple[Assumption, ...]:
    return tuple(Assumption(*row) for row in rows)
