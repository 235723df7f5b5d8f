"""One n8n server with the exported package for all tests here, and one credential for the sandbox in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import ready_made
from connector.export.shape import ExportOptions
from tests.platforms.n8n.engine.n8n_tools import toolchain
from tests.platforms.n8n_server.n8n_install import installed_server
from tests.platforms.n8n_server.n8n_process import Installed, free_ports
from tests.platforms.n8n_server.n8n_rest import Editor
from tests.support.running_sandbox import RunningSandbox

KEY = "sandbox-key"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The server, and the file that users install."""
    name, content = ready_made("n8n", Connector("unused"), ExportOptions(wire=Wire.load({}))) or ("", b"")
    package = tmp_path_factory.mktemp("package") / name
    package.write_bytes(content)
    return Installed(installed_server(), toolchain(), package)


@pytest.fixture(scope="session")
def editor(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with installed.started(tmp_path_factory.mktemp("n8n"), free_ports()) as url:
        yield Editor(url)


@pytest.fixture
def kept(editor: Editor, sandbox: RunningSandbox) -> dict[str, str]:
    """A credential for the sandbox, stored in n8n."""
    sandbox.order("/limits", limit=1_000_000)
    return editor.new_credential(sandbox.url, KEY)
