"""The guide for n8n: from its first line to the first flow that starts, as it is printed, within five minutes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from connector.runtime.requests.catalog import Catalog
from docs.site.guides import guide_pages
from tests.platforms.n8n_server.n8n_process import Installed, free_ports, npm_cache
from tests.platforms.n8n_server.n8n_rest import CREDENTIAL, Editor
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

MOST_SECONDS = 300
CHOSEN = {"ledger_connection": NORDLICHT, "kassenname": "Ladenkasse"}


@pytest.mark.parametrize(("lang", "book"), [("en", "Book the takings"), ("de", "Einnahmen buchen")])
def test_the_guide_leads_to_a_first_flow_within_five_minutes(
    lang: str, book: str, installed: Installed, sandbox: RunningSandbox, tmp_path: Path
) -> None:
    page = guide_pages(Catalog(""), lang)["guides/n8n.md"]
    *prepare, fire = re.findall(r"^ +\$ (.+)$", page, re.MULTILINE)
    home, begun = (
        {"HOME": str(tmp_path), "KONTOR_LANG": lang, "npm_config_cache": npm_cache(installed.tools)},
        time.time(),
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{installed.tools.environment['PATH']}"

    def typed(line: str) -> str:
        environment = {**installed.tools.environment, **home, "PATH": path, "NO_PROXY": "*"}
        done = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    for line in prepare:
        typed(line)
    starting = time.time()
    with installed.started(tmp_path, free_ports()) as url:
        starting = time.time() - starting
        editor = Editor(url)
        kept = editor.new_credential(sandbox.url, "sandbox-key")
        assert editor.test_credential(kept, sandbox.url, "sandbox-key")["status"] == "OK"
        flow = json.loads((tmp_path / f"n8n-cash_closing-{lang}.json").read_text(encoding="utf-8"))
        [step] = [node for node in flow["nodes"] if node["name"] == book]
        step["parameters"] |= CHOSEN
        step["credentials"] = {CREDENTIAL: kept}
        active = editor.activate(editor.imported(flow))
        patience = time.time() + 30
        while not editor.trouble(active) and time.time() < patience:  # switching it on takes its time
            try:
                typed(fire.replace("http://localhost:5678", url))
                break
            except AssertionError:
                time.sleep(1)
        [fired] = editor.executions(active)
    assert fired.status == "success"
    assert [row["path"] for row in sandbox.requests()].count("/v2/ledger-duo/kassenbuch-advanced") == 1
    assert time.time() - begun - starting < MOST_SECONDS
