"""The JavaScript that packages carry: made of the TypeScript as it is now, the same every time, and whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from connector.export.node import compile as compiling


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_build_is_that_of_the_sources() -> None:
    assert compiling.is_fresh(), "python -m connector.export.node.compile makes it anew"


def test_compiling_again_gives_the_same_files(tmp_path: Path) -> None:
    compiling.compile_all(tmp_path)
    assert contents(tmp_path) == contents(compiling.BUILD)


def test_a_change_of_a_source_makes_the_build_stale(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "json.ts"
    source.write_text("export {};\n")
    known = compiling.sources()
    monkeypatch.setattr(compiling, "sources", lambda: {**known, "connector/export/node/core/values/json.ts": source})
    assert not compiling.is_fresh()


def test_a_module_comes_with_all_that_it_imports() -> None:
    found = compiling.modules("core/kontor.js")
    assert {"core/kontor.js", "core/values/exact.js", "core/polls/watch.js"} <= set(found)
    assert not [name for name in found if not name.startswith("core/")]


def test_a_missing_build_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiling, "BUILD", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"connector\.export\.node\.compile"):
        compiling.modules("core/kontor.js")
