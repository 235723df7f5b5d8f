"""The checker catches every seeded bug by its short history, and finds nothing in that history without the bug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.histories.bugs import load, names
from tests.histories.history import ROOT
from tests.histories.rules.check import check, read_file
from tests.support.parts import part, which


def test_there_are_ten_seeded_bugs_or_more() -> None:
    assert len(names()) >= 10


@pytest.mark.parametrize("name", names())
def test_a_seeded_bug_fits_the_code(name: str) -> None:
    for function, places in load(name).places(ROOT).items():
        assert len(places) == 1, f"change {name}.yaml: {function} with its parameters is defined in {places}"


@pytest.mark.slow
@pytest.mark.parametrize("name", part(names()))
def test_a_seeded_bug_is_caught(name: str, tmp_path: Path) -> None:
    bug = load(name)
    bug.plant(ROOT, tmp_path / "source")
    kinds = {violation.kind for violation in check(_run(name, tmp_path, source=tmp_path / "source"))}
    assert kinds & bug.caught, f"{bug.promise} Only {kinds} was found. ({which()})"


@pytest.mark.slow
@pytest.mark.parametrize("name", part(names()))
def test_its_history_is_kept_without_the_bug(name: str, tmp_path: Path) -> None:
    assert check(_run(name, tmp_path, source=ROOT)) == [], which()


def _run(name: str, folder: Path, *, source: Path) -> list[dict[str, object]]:
    """Run the history in a process of its own and return its records."""
    command = [sys.executable, "-m", "tests.histories.run_seed", "--bug", name, "--source", str(source)]
    done = subprocess.run(
        [*command, "--out", str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    file = folder / f"{name}.jsonl"
    assert file.exists(), done.stderr[-3000:]
    return read_file(file)
