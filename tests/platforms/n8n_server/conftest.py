"""One n8n server with the exported package for all tests here, and one credential for the sandbox in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connector.core.service.wire import Wire
from connector.export.shape import ExportOptions
from tests.platforms.n8n.engine.n8n_package import built
from tests.platforms.n8n.engine.n8n_tools import toolchain
from tests.platforms.n8n_server.n8n_install import installed_server
from tests.platforms.n8n_server.n8n_process import Installed, free_ports
from tests.platforms.n8n_server.n8n_rest import PACKAGE, Editor
from tests.support.running_sandbox import RunningSandbox

KEY = "sandbox-key"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = installed_server()
    tools = toolchain()
    package = built(tools, tmp_path_factory.mktemp("package") / PACKAGE, ExportOptions(wire=Wire.load({})))
    return Installed(folder, tools, package)


@pytest.fixture(scope="session")
def editor(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with installed.started(tmp_path_factory.mktemp("n8n"), free_ports()) as url:
        yield Editor(url)


@pytest.fixture
def kept(editor: Editor, sandbox: RunningSandbox) -> dict[str, str]:
    """A credential for the sandbox, stored in n8n."""
    sandbox.order("/limits", limit=1_000_000)
    return editor.new_credential(sandbox.url, KEY)
