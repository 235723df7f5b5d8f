# generated: `make handlers` writes it anew
"""Create collective invoice."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action
from connector.resources import CollectiveInvoice


class CreateCollectiveInvoice(Action[CollectiveInvoice]):
    """Creates one invoice for a customer's transport tickets."""

    manifest_id: ClassVar[str] = "create_collective_invoice"

    customer_id: str
