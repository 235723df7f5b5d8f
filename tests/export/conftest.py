"""The forms of the generic tests and the running host are used here too."""

import sys
from pathlib import Path

for room in ("generic", "host"):
    sys.path.insert(0, str(Path(__file__).parent.parent / room))
