"""The page for an address that names nothing."""

from __future__ import annotations

from connector.console.frame import page
from connector.console.pieces import link, show_error
from connector.console.words import WORDS
from connector.errors import KontorError
from connector.messages import Text


def not_there(error: KontorError, place: str) -> None:
    """Says what is not there, and leads back to what is."""
    with page(place, Text(*WORDS["not_there"])) as visit:
        show_error(error, visit.tongue)
        link(visit.tongue(f"place_{place}"), visit.to(place))
