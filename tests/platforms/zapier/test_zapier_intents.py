"""What Zapier knows of a call reaches whoever decides about the write, directly and through a host."""

from __future__ import annotations

import json

import pytest

from connector import Connector
from connector.core.callers import WORDS
from tests.cases.intent_cases import hold, ids, outcome_of, sayable
from tests.interfaces.host.running_host import KEY, TOKEN
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.platforms.zapier.zapier_engine import Engine, ZapierError
from tests.platforms.zapier.zapier_form import form

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")
SAYABLE = sayable(lambda words: set(words) <= {"key", "again"})
"""Zapier does not tell who or what runs a Zap."""
UNSENT = ("input", "likely_repeat", "right_missing")


def event(engine, sequence, words):
    inputs = form(MANIFESTS.action(sequence.action), sequence.inputs)
    means = {"kontor_key": words.get("key", ""), "kontor_again": words.get("again", False)}
    bundle = {"authData": engine.auth, "inputData": {**inputs, **means}, "meta": {"zap": {"id": 77}}}
    return {"method": f"creates.{sequence.action}.operation.perform", "bundle": bundle}


def told(engine, sequence):
    events = [event(engine, sequence, words) for words in sequence.calls]
    if sequence.at_once:
        return [_outcome(answer.get("error")) for answer in engine.tell({"at_once": events})["results"]]
    return [_outcome(_error(engine, one)) for one in events]


def _error(engine, one):
    try:
        engine.tell(one)
    except ZapierError as error:
        return {"message": str(error)}
    return None


def _outcome(error):
    if error is None:
        return "done"
    kind = json.loads(error["message"])["code"]
    return outcome_of(kind, "not_sent" if kind in UNSENT else "unknown")


@pytest.mark.parametrize("sequence", SAYABLE, ids=ids(SAYABLE))
def test_directly(sequence, app, sandbox):
    engine = Engine(app, {"base_url": sandbox.url, "api_key": KEY})  # one that remembers nothing yet
    try:
        hold(sequence, told(engine, sequence), sandbox)
    finally:
        engine.close()


@pytest.mark.parametrize("sequence", SAYABLE, ids=ids(SAYABLE))
def test_through_a_host(sequence, hosted, host, sandbox):
    hosted.auth = {"host_url": host.url, "host_token": TOKEN, "api_key": KEY}
    hold(sequence, told(hosted, sequence), sandbox)


@pytest.mark.parametrize("sequence", SAYABLE, ids=ids(SAYABLE))
def test_a_host_hears_every_word(sequence, hosted):
    heard = []

    def answer(method, path, body):
        heard.append({word: body[word] for word in WORDS if word in body})
        return 200, {"ok": True, "output": {"id": "1"}}

    with stub_service(answer) as stub:
        hosted.auth = {"host_url": stub.url, "host_token": TOKEN, "api_key": KEY}
        told(hosted, sequence)
    said = [{**words, **({"key": f"zapier-77-{words['key']}"} if "key" in words else {})} for words in sequence.calls]
    assert heard == said
