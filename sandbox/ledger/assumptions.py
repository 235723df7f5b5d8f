"""What the service description leaves open about the ledger area, and what the sandbox assumes.

Each row of ASSUMPTIONS is (id, what is assumed, the sentence that leaves it open).
"""

from __future__ import annotations

STATUS_CONNECTION_INVALID = 401
STATUS_EXPORT_SERVICE_MISSING = 403
STATUS_ENDPOINT_NOT_AUTHORIZED = 403
STATUS_DEFAULT_CLIENT_WITHOUT_EXPORT = 403
STATUS_PENDING = 409
STATUS_UNKNOWN = 404
RESULT_STATUS = "SUCCESS"
RESULTS = {
    "unusual": ("SUCCESS", "WARNUNG", "Das Gegenkonto ist ungewöhnlich."),
    "error": ("ERROR", "ERROR", "Die Buchungsperiode ist geschlossen."),
}
"""Status, type and text of what the provider says of a write, by the control setting."""
DEFAULT_QUELLE = "API"
RESIDUAL_DOCUMENT = "EB-RESIDUAL"
OPENING_DOCUMENT = "0"

_STATUSES = "Status codes belonging to each ledger error code, and full error lists per endpoint: not shown."
_SHAPES = (
    "Other ledger operations that are referred to (`GET /v2/ledger-duo/connections`, `GET /v2/ledger-duo/belegtypen`, "
    "`GET /v2/ledger-rewe-read/permissions` returning one permission probe entry per checked area): request and "
    "response shapes not shown."
)
_REQUIRED = (
    "Required fields of the cash book entry body and the person account body, and the encoding of "
    "`belegbilder.content`: not shown."
)
_PERSON = "Whether the call creates or updates, and what identifies the existing record: not shown."
_OPENING = (
    "`reconcile` (default: opening balances are netted against detail items, a remainder appears as an item named "
    "EB-RESIDUAL) or `raw` (opening balances appear as ordinary items with beleg = '0')"
)
_PAIR = "Opening balances follow the convention of a balance-neutral SOLL/HABEN pair per person account."
_SUSA = "The name of the account filter parameter and the response envelope: not shown."
_CLIENT = "Without the default client's export subscription, ledger read endpoints answer 403."

ASSUMPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "ledger.status.success",
        "Every ledger call that succeeds answers 200.",
        "Success status codes of all endpoints: not shown.",
    ),
    (
        "ledger.status.connection_invalid",
        "`ledger_connection_invalid` comes with 401.",
        _STATUSES,
    ),
    (
        "ledger.status.export_service_missing",
        "`ledger_export_service_missing` comes with 403.",
        _STATUSES,
    ),
    (
        "ledger.status.endpoint_not_authorized",
        "`ledger_endpoint_not_authorized` comes with 403.",
        _STATUSES,
    ),
    (
        "ledger.status.unknown",
        "An unknown ledger connection, client or cash book answers 404; a connection of the other module too.",
        _STATUSES,
    ),
    (
        "ledger.status.pending",
        "A ledger connection that is still pending answers 409 to everything but the lists.",
        "Full set of ledger connection status values: not shown.",
    ),
    (
        "ledger.organisation",
        "A ledger connection belongs to one organisation; to all others it is unknown (404).",
        "lists the organisation's connections for this module. No parameters.",
    ),
    (
        "ledger.broken.list",
        "A ledger connection that no longer works still stands as `connected` in the list.",
        "Full set of ledger connection status values: not shown.",
    ),
    (
        "ledger.export_403.scope",
        (
            "The 403 for a default client without export subscription concerns the endpoints below /v2/ledger-"
            "rewe-read/ that read books, and carries no code."
        ),
        _CLIENT,
    ),
    (
        "ledger.client.everywhere",
        "The client id is understood by every ledger endpoint that takes a ledger connection.",
        (
            "Client id (query, optional; format `<advisor_number>-<client_number>`): needed only when the "
            "connection spans several clients and not the default client chosen at connect time is meant."
        ),
    ),
    (
        "ledger.belegtypen.shape",
        "Document types come as {data: [{id, bezeichnung}]}.",
        _SHAPES,
    ),
    (
        "ledger.belegtypen.cost",
        "The list of document types costs nothing.",
        _SHAPES,
    ),
    (
        "ledger.permissions.shape",
        (
            "Permissions come as {data: {area: probe entry}} for the areas stammdaten, belege, kassenbuch, "
            "personenkonten, zahlungsbedingungen, susa, buchungen."
        ),
        _SHAPES,
    ),
    (
        "ledger.permissions.cost",
        "The permissions check costs nothing, and answers for a broken ledger connection too.",
        _SHAPES,
    ),
    (
        "ledger.fiscal_year.unknown",
        "A geschaeftsjahrStartDatum that begins no fiscal year of the client answers 400.",
        _STATUSES,
    ),
    (
        "ledger.kassenbuch.required",
        (
            "waehrung, kassenname, betrag, transaktionsdatum, belegzeilen (at least one) and betrag in each line "
            "are required; the rest is optional."
        ),
        _REQUIRED,
    ),
    (
        "ledger.kassenbuch.zero",
        "A total of zero is refused, since it is neither income nor expense; a line of zero is not.",
        "must equal the sum of the `betrag` values of all belegzeilen; positive = income, negative = expense",
    ),
    (
        "ledger.kassenbuch.images",
        "belegbilder.content is base64 without a data-URL prefix.",
        _REQUIRED,
    ),
    (
        "ledger.kassenbuch.image_metadata",
        "belegbilder in the answer carry id, dateiname, groesse (bytes), sha256.",
        "Fields of the objects in `belegbilder` of the response: not shown.",
    ),
    (
        "ledger.personenkonto.required",
        "personenkontoNummer, kontonummernLaenge, geschaeftsjahrStartDatum and firmenname are required.",
        _REQUIRED,
    ),
    (
        "ledger.personenkonto.identity",
        (
            "Ledger connection, client and personenkontoNummer identify a person account: known means update, new"
            " means create."
        ),
        _PERSON,
    ),
    (
        "ledger.personenkonto.length",
        (
            "kontonummernLaenge lies in 4..9; a person account has that many digits or one more, since it is not "
            "said which kind of account the length counts."
        ),
        _REQUIRED,
    ),
    (
        "ledger.personenkonto.answer",
        "The answer is {data, ledgerAntwort, platform}; it stands under 200 for create and update alike.",
        _PERSON,
    ),
    (
        "ledger.result.status",
        "The status of a provider task result is `SUCCESS`; with the setting provider_answer also `ERROR`.",
        "Cash book result: `status` string",
    ),
    (
        "ledger.opos.pair",
        (
            "The pair has one leg on the person account and one on a carry-forward account, so an opening balance"
            " moves the person account."
        ),
        _PAIR,
    ),
    (
        "ledger.opos.reconcile",
        (
            "The latest opening balance up to the cut-off is netted against all details of earlier fiscal years; "
            "older opening balances are contained in it."
        ),
        _OPENING,
    ),
    (
        "ledger.opos.dates",
        (
            "An item's belegdatum and buchungstext are those of its earliest booking; a remainder has the date of"
            " the opening balance."
        ),
        _OPENING,
    ),
    (
        "ledger.opos.today",
        "Today, the default cut-off, is the day in UTC; an opening balance has its fiscal year's first day.",
        "default today; filter belegdatum <= cut-off",
    ),
    (
        "ledger.opos.order",
        "Accounts are ordered by the absolute totalSaldo, items by the absolute saldo, ties by number.",
        "grouped by (person account, document number) and sorted by absolute balance descending",
    ),
    (
        "ledger.susa.envelope",
        "The trial balance comes as {data: [row]}, ordered by account number.",
        _SUSA,
    ),
    (
        "ledger.susa.filter",
        "The account filter is an exact account number; one without movement gives no row.",
        _SUSA,
    ),
    (
        "ledger.susa.periods",
        (
            "A row lists all periods 1..14, each with the movement of that period alone, opening balance "
            "excluded; zero counts as SOLL."
        ),
        "Period value: `periode` integer 1..14 (14 includes special periods), `saldo` balance.",
    ),
)
