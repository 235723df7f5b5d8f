"""What a person sees of the package in the real Node-RED: help and words in both languages, statuses, permissions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import export
from connector.export.shape import ExportOptions
from tests.platforms.node_packages.conftest import KEY, Engines, Way
from tests.platforms.node_packages.engines.node_red import STEP, NodeRed, NodeRedStand, typed
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
NODES = ("kontor-account", "kontor-action", "kontor-trigger")
LANGUAGES = {"en": "en-US", "de": "de"}
LOCKED = {
    "adminAuth": {
        "type": "credentials",
        "users": [{"username": "ada", "password": "$2b$08$" + "a" * 53, "permissions": "*"}],
    }
}


@pytest.fixture
def node_red(engines: Engines, way: Way) -> NodeRed:
    engine: NodeRed = engines("node-red", way)
    return engine


@pytest.fixture
def red(engines: Engines, sandbox: RunningSandbox) -> NodeRedStand:
    """At the service."""
    sandbox.order("/limits", limit=1_000_000)
    stand: NodeRedStand = engines("node-red", "service").stand({"baseUrl": sandbox.url, "apiKey": KEY})
    return stand


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeRed]:
    """One whose editor asks who one is."""
    options = ExportOptions(wire=Wire.load({}))
    engine = NodeRed(tmp_path_factory.mktemp("locked"), options, CONNECTOR, settings=LOCKED)
    yield engine
    engine.close()


def page(node_red: NodeRed, lang: str) -> str:
    """What the editor loads of all nodes."""
    headers = {"accept": "text/html", "accept-language": LANGUAGES[lang]}
    answer = httpx.get(f"{node_red.url}/nodes", headers=headers, timeout=60)
    assert answer.status_code == 200
    return answer.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_help_of_each_node_names_all_that_there_is_in_the_language_of_the_editor(
    lang: str, way: Way, node_red: NodeRed
) -> None:
    shown = page(node_red, lang)
    helps = dict(re.findall(r'data-help-name="(kontor-\w+)">\n(.*?)\n</script>', shown, re.DOTALL))
    assert set(helps) == set(NODES)
    held = export("node-red", CONNECTOR, ExportOptions(via=way, wire=Wire.load({}))).holds
    for id in held["actions"]:
        assert f"**{CONNECTOR.action(id).title.in_(lang)}**" in helps["kontor-action"]
    for id in held["triggers"]:
        assert f"**{CONNECTOR.trigger(id).title.in_(lang)}**" in helps["kontor-trigger"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_word_of_the_page_is_there_in_the_language_of_the_editor(lang: str, node_red: NodeRed) -> None:
    catalogue = httpx.get(f"{node_red.url}/nodes/messages", params={"lng": LANGUAGES[lang]}, timeout=60).json()
    words: dict[str, Any] = catalogue["@kontor/node-red/kontor"]["kontor"]["words"]
    used = set(re.findall(r"kontor\.words\.(\w+)", page(node_red, lang)))
    assert len(used) > 15
    assert used <= {name for name, text in words.items() if text}


def test_a_step_shows_below_itself_what_became_of_it(red: NodeRedStand) -> None:
    listing = CONNECTOR.action("list_bank_accounts")
    red.deploy_step(listing, {})
    assert red.send({"_msgid": "1"})["status"]["fill"] == "green"
    red.deploy_step(CONNECTOR.action("get_payment"), typed({"id": "1"}))
    failed = red.send({"_msgid": "2"})
    assert (failed["status"]["fill"], len(failed["status"]["text"]) <= 60) == ("red", True)
    [caught] = failed["caught"]
    assert caught["error"]["source"]["id"] == STEP
    assert caught["error"]["cause"]["kind"] == "not_found"


@pytest.mark.parametrize("path", ["options", "test", "poll/anything"])
def test_nobody_without_the_permission_of_the_admin_is_answered(path: str, locked: NodeRed) -> None:
    answer = httpx.post(f"{locked.url}/kontor/{path}", json={"lookup": "bank_accounts"}, timeout=60)
    assert answer.status_code == 401
