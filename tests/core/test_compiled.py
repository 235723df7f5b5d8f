"""The cache of what is written in YAML: fresh after every change, and never in the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from connector.core import compiled


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.yaml").write_text("a: 1\nday: 2026-05-01\n", encoding="utf-8")
    return folder


def load(folder: Path, parsed: list[str]) -> Any:
    sources = compiled.sources([str(folder)])

    def parse() -> dict[str, Any]:
        parsed.append("once")
        return {Path(path).name: compiled.read_yaml(path) for path, _ in sources}

    return compiled.load("data", str(folder), sources, parse)


def test_yaml_is_parsed_once_and_again_only_after_a_change(folder: Path) -> None:
    parsed: list[str] = []
    first = load(folder, parsed)
    assert first == load(folder, parsed) == {"a.yaml": {"a": 1, "day": "2026-05-01"}}
    assert len(parsed) == 1
    (folder / "below").mkdir()
    (folder / "below" / "b.yaml").write_text("b: 2\n", encoding="utf-8")
    assert set(load(folder, parsed)) == {"a.yaml", "b.yaml"}
    (folder / "a.yaml").write_text("a: 17\n", encoding="utf-8")
    assert load(folder, parsed)["a.yaml"] == {"a": 17}
    (folder / "below" / "b.yaml").unlink()
    assert set(load(folder, parsed)) == {"a.yaml"}
    assert len(parsed) == 4


@pytest.mark.parametrize("rubbish", ["", "{", "[]", '{"stamp": 1}', "null"])
def test_a_broken_cache_is_made_anew(folder: Path, rubbish: str) -> None:
    parsed: list[str] = []
    load(folder, parsed)
    (folder / ".compiled-data.json").write_text(rubbish, encoding="utf-8")
    assert load(folder, parsed)["a.yaml"]["a"] == 1
    assert load(folder, parsed)["a.yaml"]["a"] == 1
    assert len(parsed) == 2


def test_where_the_folder_cannot_be_written_the_users_cache_serves(folder: Path, tmp_path: Path) -> None:
    (folder / ".compiled-data.json").mkdir()  # stands in the way even of root
    parsed: list[str] = []
    assert load(folder, parsed) == load(folder, parsed)
    assert len(parsed) == 1
    assert sorted(path.name for path in folder.iterdir()) == [".compiled-data.json", "a.yaml"]
    cache = json.loads((tmp_path / "home" / "kontor" / "data.json").read_text(encoding="utf-8"))
    assert cache["data"]["a.yaml"]["a"] == 1


def test_nothing_is_left_beside_the_cache(folder: Path) -> None:
    load(folder, [])
    assert sorted(path.name for path in folder.iterdir()) == [".compiled-data.json", "a.yaml"]
