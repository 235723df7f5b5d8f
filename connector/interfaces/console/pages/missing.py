"""The page for an address that names nothing."""

from __future__ import annotations

from connector.core.errors import KontorError
from connector.core.messages import Text
from connector.interfaces.console.frame import page
from connector.interfaces.console.pieces import link, show_error
from connector.interfaces.console.words import WORDS


def not_there(error: KontorError, place: str) -> None:
    """Says what is not there, and leads back to what is."""
    with page(place, Text(*WORDS["not_there"])) as visit:
        show_error(error, visit.tongue)
        link(visit.tongue(f"place_{place}"), visit.to(place))
