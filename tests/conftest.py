"""The sandbox on a real socket, begun anew for each test, and a receiver for its events."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from threading import get_ident
from typing import Any

import httpx._transports.default as httpx_transports
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import Connection, event
from sqlalchemy.util import LRUCache

from connector.client import key_states
from connector.core.callers import CallSource, set_source
from connector.core.manifest.load import VARIABLE as MANIFESTS
from connector.runtime.requests import catalog
from connector.sandbox.server import SandboxServer
from connector.sandbox.traffic.wire import OVERRIDE_VARIABLE
from connector.store.database import engines
from connector.store.database.database import open_database
from connector.store.database.files import FILE
from connector.store.people import passphrases
from connector.store.schema import metadata
from tests.support.chromium import browser as browser
from tests.support.parts import part
from tests.support.running_sandbox import Receiver, RunningSandbox

settings.register_profile("kontor", suppress_health_check=[HealthCheck.too_slow], deadline=None)  # busy machines
settings.load_profile("kontor")


EXPORTS = Path(__file__).parent / "export"
IN_PARTS = [Path(__file__).parent / name for name in ("cases", "histories")]


passphrases.LOG_COST = 8  # what it costs to guess is tried by a test of its own (store/people/test_passphrases.py)


class CompiledStatements(LRUCache[Any, Any]):
    """SQLAlchemy's cache, for all engines of a dialect: a key begins with the engine's own dialect."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), value)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what has a target of its own: what runs on a PostgreSQL server, and the exports. Leave out other parts."""
    for item in items:
        if item.path.is_relative_to(EXPORTS):
            item.add_marker("platforms")
        if isinstance(item, pytest.Function):
            chosen = item.callspec.params.values() if hasattr(item, "callspec") else ()
            if "postgres_server" in item.fixturenames or any(
                isinstance(one, str) and one == "postgresql" for one in chosen
            ):
                item.add_marker("postgresql")
    many = [item for item in items if is_long(item) and not is_part(item)]
    if left_out := set(many) - set(part(many)):
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))
    items.sort(key=lambda item: not is_long(item))  # what takes long begins first: nobody waits for it at the end


def is_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("long", "slow"))


def is_part(item: pytest.Item) -> bool:
    """Whether it takes a part of its own work."""
    return any(item.path.is_relative_to(folder) for folder in IN_PARTS)


@pytest.fixture(scope="session", autouse=True)
def _certificates_read_once() -> Iterator[None]:
    """Nothing here speaks TLS, and reading the certificates takes most of the time of making an httpx client."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx_transports, "create_ssl_context", lru_cache(httpx_transports.create_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def _tables_compiled_once() -> Iterator[None]:
    """To write the SQL of the tables takes half of the time of creating a database."""
    known: dict[str, list[str]] = {}
    create_all = metadata.create_all

    def create(connection: Connection, checkfirst: bool) -> None:
        if connection.dialect.name in known:
            for statement in known[connection.dialect.name]:
                connection.exec_driver_sql(statement)
            return
        written: list[str] = []
        event.listen(connection, "before_cursor_execute", lambda *given: written.append(given[2]))
        create_all(connection, checkfirst=checkfirst)
        known[connection.dialect.name] = list(written)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metadata, "create_all", create)
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_compiled_once() -> Iterator[None]:
    """SQLAlchemy compiles a statement once for each engine, and most tests have an engine of their own."""
    with pytest.MonkeyPatch.context() as patch:
        shared = {"compiled_cache": CompiledStatements(5_000)}
        patch.setattr(engines, "create_engine", partial(engines.create_engine, execution_options=shared))
        yield


@pytest.fixture(scope="session", autouse=True)
def _manifests_read_once() -> Iterator[None]:
    """Most tests have a connector of their own, and all read the same manifests; nobody may change what was read."""
    own = {read.__name__: (read, read()) for read in (catalog.load, catalog.library)}
    before = json.dumps([trees for _, trees in own.values()])

    def shared(name: str, further: str | None = None) -> Any:
        read, trees = own[name]
        return read(further) if further or os.environ.get(MANIFESTS) else dict(trees)

    with pytest.MonkeyPatch.context() as patch:
        for name in own:
            patch.setattr(catalog, name, partial(shared, name))
        yield
    assert json.dumps([trees for _, trees in own.values()]) == before


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database with all tables and no data."""
    folder = tmp_path_factory.mktemp("empty-database")
    open_database(str(folder)).close()
    return folder / FILE


@pytest.fixture(autouse=True)
def _database_copied(empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests have a database of their own, and to create its tables takes five times as long as to copy them."""
    create_private = engines.create_private

    def copy(folder: Path, database: Path) -> None:
        if not database.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = folder / f".{FILE}-{get_ident()}"
            draft.touch(0o600)
            shutil.copyfile(empty_database, draft)
            with suppress(FileExistsError):  # another thread was first
                database.hardlink_to(draft)
            draft.unlink()
        create_private(folder, database)

    monkeypatch.setattr(engines, "create_private", copy)


@pytest.fixture(scope="session")
def _server() -> Iterator[SandboxServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(OVERRIDE_VARIABLE, raising=False)
        with SandboxServer(allow_loopback_webhooks=True) as server:
            yield server


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the data folder of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))
        yield


@pytest.fixture(autouse=True)
def _strangers() -> None:
    """Each test begins as if its keys had never been used in this process, and as whoever uses Kontor from Python."""
    key_states._by_key.clear()
    set_source(CallSource())


@pytest.fixture(scope="session")
def _data_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders, numbered without a look at the thousands before."""
    home = tmp_path_factory.mktemp("data")
    return (home / str(number) for number in count())


@pytest.fixture(autouse=True)
def _own_data(_data_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has state of its own: even a read counts its request in the store."""
    folder = next(_data_folders)
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("KONTOR_DATA", str(folder))


@pytest.fixture
def sandbox(_server: SandboxServer) -> Iterator[RunningSandbox]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    yield sandbox
    sandbox.close()


@pytest.fixture
def receiver(sandbox: RunningSandbox) -> Iterator[Receiver]:
    """A receiver whose address is the webhook URL."""
    receiver = Receiver()
    answer = sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": receiver.url})
    assert answer.status_code == 200, answer.text
    yield receiver
    receiver.close()


@pytest.fixture
def unused_port() -> Iterator[int]:
    """A port of this machine on which nobody listens; it is held, so that no other test is given it meanwhile."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a host of the test may listen on it
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])
