"""All exports in one place: found by being there, deterministic, complete, written and packed alike."""

from __future__ import annotations

import io
import json
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from connector import Connector
from connector.core.errors import InputError
from connector.export import icon
from connector.export.catalogue import REPORT, as_zip, export, platforms, write
from connector.export.shape import Export, ExportOptions

CONNECTOR = Connector("unused")
SCRIPT = Path(sys.executable).parent / "kontor"


def made(**files: bytes) -> Export:
    return Export(
        "n8n", {name.replace("__", "/"): content for name, content in files.items()}, {"actions": frozenset()}
    )


def test_an_unknown_platform_is_told_which_there_are() -> None:
    with pytest.raises(InputError) as caught:
        export("nodered", CONNECTOR, ExportOptions())
    assert "n8n" in caught.value.remedy.en


def test_the_platforms_are_those_that_are_there() -> None:
    assert "n8n" in platforms()
    assert list(platforms()) == sorted(platforms())
    assert not [name for name in platforms() if "_" in name]


@pytest.mark.parametrize("via", ["service", "host"])
def test_every_manifest_is_held_or_named_with_a_reason(via: str) -> None:
    for platform in platforms():
        built = export(platform, CONNECTOR, ExportOptions(via=via))  # type: ignore[arg-type]
        for kind in ("actions", "lookups", "triggers"):
            there = set(getattr(CONNECTOR, kind))
            named = {one.id for one in built.dropped if f"{one.kind}s" == kind and one.reason.en}
            assert built.holds[kind] | named == there, platform
            assert not built.holds[kind] & named, platform


@pytest.mark.parametrize("platform", platforms())
def test_the_same_input_gives_the_same_bytes(platform: str) -> None:
    first, second = (as_zip(export(platform, Connector("unused"), ExportOptions())) for _ in range(2))
    assert first == second


def test_a_folder_and_a_zip_hold_the_same(tmp_path: Path) -> None:
    package = made(README=b"read me", nodes__a=b"1")
    write(package, tmp_path)
    with zipfile.ZipFile(io.BytesIO(as_zip(package))) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed == {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*.*")} | {
        "README": b"read me",
        "nodes/a": b"1",
    }
    assert json.loads(packed[REPORT])["platform"] == "n8n"


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "a\\b", "a/../../b"])
def test_no_file_lands_outside_of_the_package(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="outside"):
        write(Export("n8n", {name: b""}, {}), tmp_path)


def test_the_icon_is_one_drawing_in_the_brand_colour() -> None:
    light, dark = icon.svg().decode(), icon.svg(on_dark=True).decode()
    assert icon.BACKGROUND in light
    assert re.sub("#[0-9a-f]{6}", "", light) == re.sub("#[0-9a-f]{6}", "", dark)
    assert light != dark


@pytest.mark.parametrize(("size", "round_corners"), [(230, False), (256, True), (512, True)])
def test_the_icon_has_the_size_that_its_name_says(size: int, round_corners: bool) -> None:
    picture = icon.png(size, round_corners=round_corners)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", picture[16:24]) == (size, size)
    rows = zlib.decompress(picture[picture.index(b"IDAT") + 4 : -16])
    clear = 0 if round_corners else 255
    assert rows[4] == clear, "the corner"
    assert rows[1:4] == (bytes(3) if round_corners else bytes.fromhex(icon.BACKGROUND[1:]))


def kontor(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, timeout=60)


def test_the_command_writes_what_the_catalogue_builds(tmp_path: Path) -> None:
    done = kontor("export", "n8n", "-o", str(tmp_path / "out"), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (0, True)
    [told] = document["exports"]
    built = export("n8n", CONNECTOR, ExportOptions())
    assert set(told["files"]) == {*built.files, REPORT, told["install"]}
    for name, content in built.files.items():
        assert (tmp_path / "out" / name).read_bytes() == content


def test_the_command_asks_where_the_files_shall_go() -> None:
    done = kontor("export", "n8n", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["field"] == "-o"


def test_the_command_only_checks_when_it_is_told_no_folder(tmp_path: Path) -> None:
    done = kontor("export", "n8n", "--check", "--json")
    [told] = json.loads(done.stdout)["exports"]
    assert (done.returncode, told["findings"], told["files"]) == (0, [], [])
