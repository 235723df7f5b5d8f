"""Helpers that tests of several rooms import by name."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOMS = [f"{HERE.parent.name}.{path.name}" for path in HERE.parent.iterdir() if path.is_dir() and path != HERE]
MODULES = [f"{__name__}.{path.stem}" for path in HERE.glob("[!_]*.py")]
pytest.register_assert_rewrite(*ROOMS, *MODULES)  # so that an assertion of a helper says what it found
