"""Every platform's tests fill in forms and call hosts as the tests of the house do."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "generic"), str(HERE.parent / "host"), str(HERE / "n8n")]
