"""Runs a case in Python, without a network, and tells what became of it as tagged JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from connector.client.call import Call, prepare
from connector.client.exchange import Reply, Sender, exchange
from connector.client.key_states import KeyState
from connector.client.steps import Pause, Steps, Transmit
from connector.client.verdict import Answer, TransportFailure
from connector.core.errors import KontorError
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import ANYWHERE, Text, say
from connector.core.polls.days import berlin_day
from connector.core.polls.page import Page
from connector.core.service.credential import Credential
from connector.core.service.wire import Wire
from connector.core.timing import Clock
from connector.core.values import json
from connector.core.writes.marks import digest
from connector.runtime import lookups, poll
from connector.runtime.invoke import output_of, warnings_of
from connector.runtime.requests import checks
from connector.runtime.requests.catalog import Catalog
from connector.runtime.requests.request import build_call
from connector.runtime.result import Credits
from connector.testing.cases.files import Case, decoded, encoded

BASE_URL, QUELLE, KEY = "https://service.example", "cases", "sk_of_the_cases"
NOW = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)
FREE = Credits(Decimal(0), None)
GONE = Answer(404, {}, b'{"error": "gone"}')
SECTIONS = ("requests", "answers", "options", "polls", "events", "digests")
"""What it runs."""
CaseResult = dict[str, Any]
T = TypeVar("T")


class Interpreter:
    """Python as an interpreter of manifests."""

    def __init__(self, manifests: str) -> None:
        """`manifests`: a folder of further ones."""
        self.catalog = Catalog(manifests)
        self._credential = _credential("{}")
        self._kinds: Mapping[str, Callable[[str], Manifest]] = {
            **dict.fromkeys(self.catalog._trees["actions"], self.catalog.action),
            **dict.fromkeys(self.catalog._trees["lookups"], self.catalog.lookup),
            **dict.fromkeys(self.catalog._trees["triggers"], self.catalog.trigger),
        }

    def ids(self) -> set[str]:
        """Of every manifest."""
        return set(self._kinds)

    def manifest(self, id: str) -> Any:
        """One action, lookup or trigger."""
        return self._kinds[id](id)

    def run(self, case: Case) -> CaseResult:
        """What becomes of a case."""
        self._credential = _credential(case.wire)
        result: CaseResult = getattr(self, f"_{case.section}")(self.manifest(case.manifest), case.body)
        return result

    def _requests(self, manifest: Manifest, body: Mapping[str, Any]) -> CaseResult:
        try:
            inputs, warnings = self._checked(manifest, body["inputs"])
            call = build_call(manifest, inputs, self._credential.wire) if _sends(manifest, inputs) else None
        except KontorError as error:
            return {"refusal": error_of(error)}
        sent = None if call is None else self._as_sent(call)
        return {"request": sent, "read": encoded(inputs), "warnings": [text.as_dict() for text in warnings]}

    def _answers(self, manifest: Action | Trigger, body: Mapping[str, Any]) -> CaseResult:
        service = _Service(body)
        try:
            inputs, _ = self._checked(manifest, body["inputs"])
            if isinstance(manifest, Trigger):
                listed = self._listed(manifest, service) if manifest.each else None
                steps = poll.poll(
                    manifest, inputs, None, "all", _now(body), self._sender(), {}, _nothing_counted(), listed
                )
                polled = self._driven(steps, service)
                return {"items": encoded(polled.items), "more": polled.more, "sent": service.sent}
            call = build_call(manifest, inputs, self._credential.wire)
            reply = self._asked(call, service)
            output = encoded(output_of(manifest, inputs, call, reply))
            warnings = [text.as_dict() for text in (*reply.warnings, *warnings_of(manifest))]
            return {"output": output, "warnings": warnings, "sent": service.sent}
        except KontorError as error:
            return {"error": error_of(error), "sent": service.sent}

    def _listed(self, trigger: Trigger, service: _Service) -> Generator[Any, Any, list[str]]:
        """Lists what is watched one by one."""
        assert trigger.each is not None
        lookup = self.catalog.lookup(trigger.each.lookup)
        cache, key = lookups.LookupCache(), (lookup.id, frozenset[Any]())
        cache.begin(key)
        lookup_list = yield from lookups.fetch(lookup, {}, cache, key, self._sender(), berlin_day(NOW))
        return [option.value for option in lookup_list.options]

    def _options(self, lookup: Lookup, body: Mapping[str, Any]) -> CaseResult:
        service = _Service(body)
        today = date.fromisoformat(body["today"]) if "today" in body else berlin_day(_now(body))
        cache, key = lookups.LookupCache(), (lookup.id, frozenset[Any]())
        try:
            inputs, _ = self._checked(lookup, body["inputs"])
            cache.begin(key)
            lookup_list = self._driven(lookups.fetch(lookup, inputs, cache, key, self._sender(), today), service)
        except KontorError as error:
            return {"error": error_of(error), "sent": service.sent}
        options = lookup_list.in_(body.get("lang", "en")).options
        shown = [{"value": option.value, "label": option.label, "hint": option.hint} for option in options]
        return {"options": shown, "sent": service.sent}

    def _polls(self, trigger: Trigger, body: Mapping[str, Any]) -> CaseResult:
        if body.get("stateless"):
            inputs, _ = self._checked(trigger, body["inputs"])
            strategy: Any = trigger.poll
            return {"items": encoded(strategy.without_memory(decoded(body["rows"]), inputs, _now(body)))}
        steps: list[CaseResult] = []
        cursor, now = None, _now(body)
        for step in body["steps"]:
            now = _now(step, now)
            cursor = decoded(step["cursor_given"]) if "cursor_given" in step else cursor
            raw = {**body["inputs"], **step.get("inputs", {})}
            result: CaseResult = {}
            steps.append(result)
            try:
                inputs, _ = self._checked(trigger, raw)
                start = poll.check_start(body.get("start", "now"))
                result["asks"] = encoded(poll.strategy_inputs(trigger, inputs, cursor, now, start))
                behind = int(step["behind"]) if "behind" in step else None
                page = Page(decoded(step.get("rows", [])), step.get("cut", False), behind)
                turned = poll.process_page(trigger, page, inputs, cursor, start, now, FREE)
            except KontorError as error:
                result["refusal"] = error_of(error)
                break
            cursor = turned.cursor
            result |= {"items": encoded(turned.items), "cursor": cursor, "more": turned.more}
        return {"steps": steps}

    def _events(self, trigger: Trigger, body: Mapping[str, Any]) -> CaseResult:
        assert trigger.event is not None
        try:
            inputs, _ = self._checked(trigger, body["inputs"])
        except KontorError as error:
            return {"refusal": error_of(error)}
        return {"fires": trigger.event.fires(body["event"], decoded(body["data"]), inputs)}

    def _digests(self, action: Action, body: Mapping[str, Any]) -> CaseResult:
        try:
            inputs, _ = self._checked(action, body["inputs"])
        except KontorError as error:
            return {"refusal": error_of(error)}
        return {"digest": digest(action.id, inputs)}

    def _checked(self, manifest: Any, raw: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Text, ...]]:
        noticed: list[Text] = []
        today = berlin_day(NOW)
        inputs = self.catalog.inputs(manifest).clean(decoded(raw), noticed, today)
        return inputs, (*noticed, *checks.check(manifest, inputs, today))

    def _as_sent(self, call: Call) -> CaseResult:
        prepared = prepare(call, self._credential)
        parts = urlsplit(prepared.url)
        assert prepared.url.startswith(BASE_URL)
        query: dict[str, Any] = {}
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            query[name] = value if name not in query else [*_listed(query[name]), value]
        content = None if prepared.content is None else encoded(json.decode(prepared.content))
        return {
            "method": prepared.method,
            "path": re.sub(r"\?.+$", "", prepared.url.removeprefix(BASE_URL)),
            "query": query,
            "body": content,
            "headers": {name: value for name, value in prepared.headers.items() if name != "x-api-key"},
        }

    def _sender(self) -> Sender:
        return Sender(self._credential, _StandingClock(), KeyState())

    def _asked(self, call: Call, service: _Service) -> Reply:
        """Sends a call to a service that always answers the same."""
        return self._driven(exchange(call, self._sender()), service)

    def _driven(self, steps: Steps[T], service: _Service) -> T:
        """Carries out the steps of what only asks."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    _StandingClock.passed += step.seconds
                    step = steps.send(None)
                else:
                    assert isinstance(step, Transmit)
                    service.sent += 1
                    step = steps.send(service.answer_to(urlsplit(step.request.url).path))
        except StopIteration as stop:
            result: T = stop.value
            return result


@cache
def _credential(wire: str) -> Credential:
    return Credential(BASE_URL, KEY, QUELLE, Wire.with_overrides(json.decode(wire)))


class _Service:
    """What the service answers, and how often it was asked."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.sent = 0
        self.answer: Answer | TransportFailure
        self.gone: list[str] = []
        if "lost" in body:
            sent = body["lost"] == "maybe_sent"
            why = "why_timeout" if body.get("timed_out") else "why_dropped" if sent else "why_no_route"
            self.answer = TransportFailure(sent=sent, why=say(why))
            return
        self.gone += body.get("gone", [])
        content = body["raw"].encode() if "raw" in body else json.encode(decoded(body.get("reply")))
        self.answer = Answer(decoded(body.get("status")) or 200, body.get("headers", {}), content)

    def answer_to(self, path: str) -> Answer | TransportFailure:
        """The answer of the case; to what it says is gone, that it is not there."""
        return GONE if path.rsplit("/", 1)[1] in self.gone else self.answer


class _StandingClock(Clock):
    """Moves only while somebody waits."""

    passed = 0.0

    def monotonic(self) -> float:
        return self.passed

    def utcnow(self) -> datetime:
        return NOW + timedelta(seconds=self.passed)


def error_of(error: KontorError) -> CaseResult:
    """An error as far as interpreters can be compared."""
    details = error.details if isinstance(error.details, Mapping) else {}
    return {
        "kind": error.kind,
        "field": error.field,
        "message": error.reason,
        "text": error.message.as_dict(ANYWHERE),
        "remedy": error.remedy.as_dict(ANYWHERE),
        "outcome": error.outcome,
        "proof": error.proof,
        "also": details.get("also", []),
        "reconnect_url": error.reconnect_url,
    }


def _sends(manifest: Manifest, inputs: Mapping[str, Any]) -> bool:
    if isinstance(manifest, Trigger) and manifest.watches_all(inputs):
        return False  # a request for each, which is not known yet
    return manifest.request is not None or getattr(manifest, "code", False)


def _now(body: Mapping[str, Any], otherwise: datetime = NOW) -> datetime:
    return datetime.fromisoformat(body["now"]) if "now" in body else otherwise


def _nothing_counted() -> Generator[Any, Any, None]:
    return
    yield


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
