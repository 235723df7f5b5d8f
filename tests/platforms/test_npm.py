"""Packages from npm: locked to the last one, no address named, and one that cannot be had is asked for once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from connector import Connector
from connector.export.catalogue import export
from connector.export.node import npm_lock
from connector.export.shape import ExportOptions
from tests.platforms import npm
from tests.platforms.node import Unavailable

pytestmark = pytest.mark.platforms
EXACT = re.compile(r"\d+\.\d+\.\d+(?:[-+][\w.+-]+)?")
MISSING = "a-package-that-is-not-there"


@pytest.mark.parametrize("name", npm.SETS)
def test_a_lock_names_every_package_in_one_version_and_no_address(name: str) -> None:
    lock = npm_lock.read(npm.SETS[name])
    text = npm.SETS[name].read_text(encoding="utf-8")
    assert "://" not in text
    assert text == npm_lock.written(lock)
    locked = npm_lock.versions(lock)
    for wanted, version in lock["dependencies"].items():
        assert locked[f"node_modules/{wanted}"] == version
    assert all(EXACT.fullmatch(version) for version in locked.values())
    npm_lock.package_lock({"name": name, "version": "0.0.0"}, lock)  # which refuses a dependency that is not locked


@pytest.mark.parametrize("name", npm.SETS)
def test_the_compact_form_is_that_of_the_lock_that_it_stands_for(name: str) -> None:
    lock = npm_lock.read(npm.SETS[name])
    described = {"name": name, "version": "0.0.0", "dependencies": lock["dependencies"], "overrides": lock["overrides"]}
    assert npm_lock.compact(npm_lock.package_lock(described, lock), described) == lock


@pytest.mark.parametrize("platform", ["n8n", "zapier"])
def test_an_exported_package_brings_its_lock(platform: str) -> None:
    files = export(platform, Connector("unused"), ExportOptions()).files
    described, lock = json.loads(files["package.json"]), json.loads(files["package-lock.json"])
    wanted = {**described.get("dependencies", {}), **described.get("devDependencies", {})}
    assert wanted
    for name, version in wanted.items():
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    assert lock["packages"][""]["version"] == described["version"]
    assert b"://" not in files["package-lock.json"]


class Registry(BaseHTTPRequestHandler):
    """A registry of npm that has nothing."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(404)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What an empty registry was asked for, with an empty cache and a lock of one package that nobody has."""
    asked: list[str] = []
    handler = type("Empty", (Registry,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
        monkeypatch.setenv("KONTOR_NODE_CACHE", str(tmp_path / "node"))
        lock = {"dependencies": {MISSING: "1.0.0"}, "overrides": {}, "packages": {MISSING: "1.0.0"}}
        (tmp_path / "lock.json").write_text(json.dumps(lock))
        monkeypatch.setitem(npm.SETS, "missing", tmp_path / "lock.json")
        yield asked
        server.shutdown()


def test_a_package_that_is_not_there_is_named_and_not_asked_for_again(asked: list[str]) -> None:
    with pytest.raises(Unavailable, match=MISSING) as first:
        npm.installed("missing")
    times = len(asked)
    assert times >= 1
    with pytest.raises(Unavailable) as second:
        npm.installed("missing")
    assert str(second.value) == str(first.value)
    assert len(asked) == times


def test_another_worker_of_the_same_run_does_not_ask_again(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "one run")
    with pytest.raises(Unavailable):
        npm.installed("missing")
    times = len(asked)
    monkeypatch.setattr(npm, "OWN_RUN", "that of another process")
    with pytest.raises(Unavailable, match=MISSING):
        npm.installed("missing")
    assert len(asked) == times
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "another run")
    with pytest.raises(Unavailable, match=MISSING):
        npm.installed("missing")
    assert len(asked) > times
