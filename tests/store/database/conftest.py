"""Here databases are created as they are outside of tests, not copied."""

from __future__ import annotations

import pytest

from tests.store.postgres import empty_postgres_url as postgres_url

__all__ = ["postgres_url"]


@pytest.fixture(autouse=True)
def _database_copied() -> None:
    """Nothing is copied."""
