"""The forms of the generic tests are filled in here too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "generic"))
