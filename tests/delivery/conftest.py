"""Deliveries are tested with the hub's fixtures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "hub"))

from hub_fixtures import house, hub, subscriber  # found by the line above

__all__ = ["house", "hub", "subscriber"]
