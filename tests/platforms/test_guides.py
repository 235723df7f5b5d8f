"""The guides for Zapier and Node-RED: from the first line to the first flow that starts, as they are printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector import Connector
from connector.core.messages import LANGUAGES
from connector.runtime.requests.catalog import Catalog
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from docs.site.guides import guide_pages
from tests.platforms.node import find_node, or_skip
from tests.platforms.node_packages.engines.node_red import NodeRed
from tests.platforms.npm import installed
from tests.platforms.test_install_lines import exported, printed
from tests.platforms.zapier.zapier_engine import Engine
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.long]
CONNECTOR = Connector("unused")
KEY = "sandbox-key"
LINE = re.compile(r"^ +\$ (.+)$", re.MULTILINE)
QUOTED = re.compile(r"[\"„]([^\"„“]+)[\"“]")


def guide(name: str, lang: str) -> str:
    return guide_pages(Catalog(""), lang)[f"guides/{name}.md"]


def type_all(lines: list[str], home: Path, lang: str) -> None:
    """Type lines into one terminal, ended by the first that fails."""
    node = find_node()
    cache = subprocess.run([*node.npm, "config", "get", "cache"], capture_output=True, text=True, check=True).stdout
    path = f"{Path(sys.executable).parent}{os.pathsep}{node.environment['PATH']}"
    environment = {**node.environment, "PATH": path, "HOME": str(home), "KONTOR_LANG": lang}
    done = subprocess.run(
        ["sh", "-ec", "\n".join(lines)],
        cwd=home,
        env={**environment, "npm_config_cache": cache.strip()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["n8n", "zapier", "node-red", "mcp"])
def test_a_guide_types_the_same_in_either_language(name: str) -> None:
    english, german = (LINE.findall(guide(name, lang)) for lang in LANGUAGES)
    assert english
    assert [line.replace("Takings", "Einnahmen") for line in english] == german


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_guide_for_zapier_leads_to_a_zap_that_starts(lang: str, sandbox: RunningSandbox, tmp_path: Path) -> None:
    sandbox.order("/limits", limit=1_000_000)
    lines = LINE.findall(guide("zapier", lang))
    uploading = [line for line in lines if line.startswith("npx ")]
    exported("zapier", lang, tmp_path / "readme")
    assert set(uploading) <= set(printed("zapier", lang, tmp_path / "readme")), "those are tried with the README's"
    with or_skip():
        installed("zapier")  # npm has its packages at hand
    type_all([line for line in lines if line not in uploading], tmp_path, lang)
    app = tmp_path / "kontor-zapier"
    assert (app / "node_modules").is_dir(), "npm ci has brought what it runs with"
    declared = json.loads((app / "kontor-app.json").read_text(encoding="utf-8"))
    [(id, trigger)] = [
        (id, one)
        for id, one in declared["triggers"].items()
        if one["display"]["label"].lower() in {label.lower() for label in QUOTED.findall(guide("zapier", lang))}
    ]
    before = sandbox.balance()
    engine = Engine(app, {"base_url": sandbox.url, "api_key": KEY})
    try:
        assert engine.execute("authentication.test")["label"]
        assert sandbox.balance() == before, "Zapier tests it for free"
        [field] = [one for one in trigger["operation"]["inputFields"] if one["key"] == "account_id"]
        dropdown = field["dynamic"].split(".")[0]
        offered = engine.execute(f"triggers.{dropdown}.operation.perform")
        account = next(one["id"] for one in offered if one["id"] == MAIN_ACCOUNT)
        perform, inputs = f"triggers.{id}.operation.perform", {"account_id": account}
        assert engine.execute(perform, inputs, meta={"isLoadingSample": True, "zap": {"id": 1}})
        known = engine.execute(perform, inputs, meta={"isPopulatingDedupe": True, "zap": {"id": 1}})
        [new] = sandbox.order("/transactions", account_id=account, count=1)["data"]
        found = engine.execute(perform, inputs, meta={"zap": {"id": 1}})
    finally:
        engine.close()
    assert {one["id"] for one in found} - {one["id"] for one in known} == {new["id"]}


class InstalledNodeRed(NodeRed):
    """A Node-RED in whose folder somebody has installed the package."""

    def __init__(self, folder: Path) -> None:
        self._packages, self.folder = installed("node-red"), folder
        self._hurry, self._settings = 1, {}
        self.start()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Any]:
    engines: list[NodeRed] = []

    def start(folder: Path) -> NodeRed:
        engines.append(InstalledNodeRed(folder))
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_guide_for_node_red_leads_to_a_flow_that_starts(
    lang: str, started: Any, sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.order("/limits", limit=1_000_000)
    page = guide("node-red", lang)
    with or_skip():
        installed("node-red")
    type_all(LINE.findall(page), tmp_path, lang)
    engine = started(tmp_path / ".node-red")
    examples = f"{engine.url}/library/examples/flows/@kontor/node-red"
    [example] = httpx.get(examples).json()
    flow = httpx.get(f"{examples}/{example['fn']}").json()
    [account] = [node for node in flow if node["type"] == "kontor-account"]
    [inject] = [node for node in flow if node["type"] == "inject"]
    [action] = [node for node in flow if node["type"] == "kontor-action"]
    account |= {"baseUrl": sandbox.url, "credentials": {"apiKey": KEY}}
    engine.deploy(*({**node, "z": "tab"} if "x" in node else node for node in flow))
    tested = httpx.post(f"{engine.url}/kontor/test", json={"account": account["id"]}, timeout=60)
    assert tested.status_code == 200, tested.text
    assert httpx.post(f"{engine.url}/inject/{inject['id']}").status_code == 200
    [message] = wait_for(engine, action["id"])
    assert MAIN_ACCOUNT in [one["id"] for one in message["payload"]]

    locale = {"en": "en-US", "de": "de"}[lang]
    installed_package = tmp_path / ".node-red/node_modules/@kontor/node-red"
    words = (installed_package / f"nodes/locales/{locale}/kontor.json").read_text(encoding="utf-8")
    quoted = QUOTED.findall(page)
    assert set(re.findall(r'"paletteTrigger": "([^"]+)"', words)) <= set(quoted)
    [trigger] = [one for one in CONNECTOR.triggers.values() if one.title.in_(lang) in quoted]
    polling = engine.stand({"baseUrl": sandbox.url, "apiKey": KEY}).poll_flow(trigger, account_id=MAIN_ACCOUNT)
    assert polling.poll() == []
    [new] = sandbox.order("/transactions", account_id=MAIN_ACCOUNT, count=1)["data"]
    assert [one["id"] for one in polling.poll()] == [new["id"]]


def wait_for(engine: NodeRed, node: str) -> list[Any]:
    """What a node sends, within ten seconds."""
    for _ in range(100):
        if found := engine.process.do("drain", node=node)["messages"]:
            return list(found)
        time.sleep(0.1)
    return []
