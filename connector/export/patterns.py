"""What a text must look like, as a regular expression that any platform's form can check before a credit is spent.

These say less than `connector.core.manifest.formats`: a form cannot compute check digits.
"""

from __future__ import annotations

from connector.core.manifest.fields import Field

PATTERNS = {
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    "iban": "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$",
    "bic": "^[A-Z0-9]{8}([A-Z0-9]{3})?$",
    "vat_id": "^[A-Z]{2}[A-Z0-9+*]{2,12}$",
    "currency": "^[A-Z]{3}$",
    "country": "^[A-Z]{2}$",
    "email": "^[^@ ]+@[^@ ]+[.][^@ .]{2,}$",
    "client": "^[0-9]{1,12}-[0-9]{1,12}$",
    "cursor": "^[0-9]{1,40}$",
    "account_number": "^[0-9]{1,20}$",
    "public_https_url": "^https://[^ ]+$",
    "api_path": "^/v2/[^ ?#]*$",
}
DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def pattern(field: Field) -> str | None:
    """The expression that a field's text must match, if there is one."""
    return DATE if field.type == "date" else PATTERNS.get(field.format or "")
