# generated: `make handlers` writes it anew
"""List mobility customers."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Listed
from connector.resources import MobilityCustomer


class ListMobilityCustomers(Action[Listed[MobilityCustomer]]):
    """Finds the customers with transport tickets."""

    manifest_id: ClassVar[str] = "list_mobility_customers"
