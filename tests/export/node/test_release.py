"""Who publishes says so once, every package names it, and none is released with placeholders."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from connector import Connector
from connector.core.errors import InputError
from connector.export.catalogue import export, platforms
from connector.export.shape import ExportOptions, Publisher
from connector.interfaces.cli import main

CONNECTOR = Connector("unused")
WRITTEN = """
author = "Buchhof GmbH"
email = "pakete@buchhof.de"
homepage = "https://buchhof.de/kontor"
repository = "https://git.buchhof.de/kontor.git"
"""
NAMES = ["author", "email", "homepage", "repository"]


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    file = tmp_path / "publisher.toml"
    file.write_text(WRITTEN, encoding="utf-8")
    monkeypatch.setenv("KONTOR_PUBLISHER", str(file))
    monkeypatch.setenv("KONTOR_BASE_URL", "https://api.buchhof.de")
    return Publisher.load()


def test_one_file_says_it_for_every_package(publisher: Publisher) -> None:
    for platform in platforms():
        files = export(platform, CONNECTOR, ExportOptions(base_url="https://api.buchhof.de")).files
        left = {name for name, text in files.items() if re.search(rb"kontor\.example", text)}
        assert not left, f"{platform}: {left}"
    about = json.loads(export("n8n", CONNECTOR, ExportOptions()).files["package.json"])
    assert about["author"] == {"name": publisher.author, "email": publisher.email}
    assert (about["homepage"], about["repository"]["url"]) == (publisher.homepage, publisher.repository)
    assert about["license"] == "MIT"


def test_a_release_refuses_placeholders_and_names_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KONTOR_PUBLISHER", raising=False)
    monkeypatch.setenv("KONTOR_BASE_URL", "http://127.0.0.1:8320")
    assert main(["export", "n8n", "-o", str(tmp_path / "out"), "--release", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["field"], error["message"].partition(": ")[2]) == (
        "--release",
        "author, email, homepage, repository, KONTOR_BASE_URL.",
    )
    assert "KONTOR_PUBLISHER" in error["remedy"]["de"]
    assert not (tmp_path / "out").exists()


def test_a_release_with_everything_set_is_written(publisher: Publisher, tmp_path: Path) -> None:
    assert main(["export", "n8n", "-o", str(tmp_path / "out"), "--release"]) == 0
    assert (tmp_path / "out" / "package.json").is_file()


def test_a_package_for_a_host_needs_the_address_of_one(publisher: Publisher) -> None:
    assert ExportOptions(via="host").placeholders == ["--host-url"]
    assert ExportOptions(via="host", host_url="https://kontor.buchhof.de").placeholders == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_blank_or_an_example_is_a_placeholder(name: str) -> None:
    whole = {name: f"https://buchhof.de/{name}" for name in NAMES}
    assert Publisher(**whole).placeholders == []
    for value in ("", "  ", "https://somewhere.example/x", getattr(Publisher(), name)):
        assert Publisher(**{**whole, name: value}).placeholders == [name]


@pytest.mark.parametrize("text", ["homepage = 3", 'autor = "x"', "author = ", "\x80"])
def test_a_file_that_cannot_be_meant_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "publisher.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as refused:
        Publisher.load({"KONTOR_PUBLISHER": str(file)})
    assert str(file) in str(refused.value)
