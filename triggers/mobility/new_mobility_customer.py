# generated: `make handlers` writes it anew
"""New mobility customer."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import MobilityCustomer


class NewMobilityCustomer(Trigger[MobilityCustomer]):
    """Triggers when there is a new customer with transport tickets."""

    manifest_id: ClassVar[str] = "new_mobility_customer"
