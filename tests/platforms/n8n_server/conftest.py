"""One n8n server with each of the two packages, as users install them, for all tests here; and a credential in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import ready_made
from connector.export.shape import ExportOptions
from tests.interfaces.host.running_host import TOKEN, RunningHost, running
from tests.platforms.n8n.engine.n8n_tools import toolchain
from tests.platforms.n8n_server.n8n_install import installed_server
from tests.platforms.n8n_server.n8n_process import Installed, free_ports
from tests.platforms.n8n_server.n8n_rest import Editor
from tests.support.running_sandbox import RunningSandbox

KEY = "sandbox-key"


@dataclass(frozen=True)
class Way:
    """One of the two packages, in its server, and what a credential for it holds."""

    installed: Installed
    editor: Editor
    address: str
    secrets: dict[str, str]
    host: RunningHost | None = None

    @cached_property
    def kept(self) -> dict[str, str]:
        """A credential, stored in n8n: what is remembered of writes belongs to it."""
        return self.kept_in(self.editor)

    def kept_in(self, editor: Editor) -> dict[str, str]:
        """The same in another n8n."""
        return editor.new_credential(self.address, KEY, **self.secrets)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The server, and the file that users install."""
    return Installed(installed_server(), toolchain(), _shipped(tmp_path_factory.mktemp("package"), "service"))


@pytest.fixture(scope="session")
def installed_for_host(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The same with the package for a host."""
    return replace(installed, package=_shipped(tmp_path_factory.mktemp("package-via-host"), "host"))


def _shipped(folder: Path, via: Literal["service", "host"]) -> Path:
    options = ExportOptions(via=via, wire=Wire.load({}))
    name, content = ready_made("n8n", Connector("unused"), options) or ("", b"")
    (folder / name).write_bytes(content)
    return folder / name


@pytest.fixture(scope="session")
def editor(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with installed.started(tmp_path_factory.mktemp("n8n"), free_ports()) as url:
        yield Editor(url)


@pytest.fixture(scope="session")
def hosted_editor(installed_for_host: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """A second server, with the package for a host."""
    with installed_for_host.started(tmp_path_factory.mktemp("n8n-via-host"), free_ports()) as url:
        yield Editor(url)


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "host") as host:
        yield host


@pytest.fixture(params=["direct", "host"])
def way(request: pytest.FixtureRequest, sandbox: RunningSandbox) -> Way:
    sandbox.order("/limits", limit=1_000_000)
    if request.param == "direct":
        return Way(request.getfixturevalue("installed"), request.getfixturevalue("editor"), sandbox.url, {})
    host: RunningHost = request.getfixturevalue("host")
    installed, editor = (request.getfixturevalue(one) for one in ("installed_for_host", "hosted_editor"))
    return Way(installed, editor, host.url, {"hostToken": TOKEN}, host)


@pytest.fixture
def kept(editor: Editor, sandbox: RunningSandbox) -> dict[str, str]:
    """A credential for the sandbox, stored in n8n."""
    sandbox.order("/limits", limit=1_000_000)
    return editor.new_credential(sandbox.url, KEY)
