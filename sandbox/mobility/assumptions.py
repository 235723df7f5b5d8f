"""What the service description leaves open about the mobility area, and what the sandbox assumes.

Each row of ASSUMPTIONS is (id, what is assumed, the sentence that leaves it open).
"""

from __future__ import annotations

COST = 0
STATUS_NOTHING_TO_INVOICE = 409
STATUS_UNKNOWN = 404

ASSUMPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "mobility.cost",
        "Listing customers and creating a collective invoice cost nothing.",
        "Credit cost of the mobility operations and the webhook-url operations: not shown.",
    ),
    (
        "mobility.nothing_to_invoice",
        "A collective invoice takes all tickets not invoiced yet; with none left it answers 409 and does nothing.",
        "creates a collective invoice for the customer (`id` uuid path parameter). No body.",
    ),
    (
        "mobility.status",
        "Success answers 200, an id that is no uuid 400, an unknown customer 404.",
        "Success status codes of all endpoints: not shown.",
    ),
    (
        "mobility.invoice_number",
        "Every third invoice has neither invoice_number nor invoice_pdf_url yet.",
        "`invoice_number` string or null, `invoice_pdf_url` string (uri) or null (internal)",
    ),
)
