"""The page for an address that names nothing."""

from __future__ import annotations

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.console.frame import page
from connector.interfaces.console.pieces import link, show_error


def not_there(error: KontorError, place: str) -> None:
    """Says what is not there, and leads back to what is."""
    with page(place, say("not_there")) as visit:
        show_error(error, visit.localize)
        link(visit.localize(f"place_{place}"), visit.to(place))
