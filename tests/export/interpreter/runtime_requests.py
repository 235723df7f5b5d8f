"""The requests that Kontor's own runtime sends, as the exports' requests have to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.client import Call, prepare
from connector.core.callers import Invoker
from connector.core.manifest.model import Lookup, Trigger
from connector.runtime.invoke import plan
from connector.runtime.requests.request import build_call
from connector.runtime.session import Session
from tests.export.interpreter.exchange import Sent


def of_action(session: Session, id: str, inputs: Mapping[str, Any]) -> Sent:
    work = session._procedures._context(session._shared.catalog.action(id), Invoker())
    return _prepared(session, plan(work, inputs, None)[1])


def of_lookup(session: Session, lookup: Lookup, inputs: Mapping[str, Any]) -> Sent:
    clean = session._shared.catalog.inputs(lookup).clean(inputs)
    return _prepared(session, build_call(lookup, clean, session.credential.wire))


def of_poll(session: Session, trigger: Trigger, inputs: Mapping[str, Any], asked: Mapping[str, Any]) -> Sent:
    clean = session._shared.catalog.inputs(trigger).clean(inputs)
    return _prepared(session, build_call(trigger, {**clean, **asked}, session.credential.wire))


def _prepared(session: Session, call: Call) -> Sent:
    made = prepare(call, session.credential)
    return Sent(made.method, made.url, made.headers, made.content)
