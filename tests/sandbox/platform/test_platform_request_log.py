from __future__ import annotations

from datetime import UTC, datetime

from connector.sandbox.traffic.logs import RequestLog
from tests.support.running_sandbox import RunningSandbox

URL = "/v2/banking/webhook-url"


def test_each_request_is_recorded_with_what_became_of_it(sandbox: RunningSandbox) -> None:
    sandbox.api.put(f"{URL}?x=1", json={"webhook_url": "https://example.com/hook"})
    [entry] = sandbox.requests()
    assert entry["sequence"] == 1
    assert (entry["method"], entry["path"], entry["query"]) == ("PUT", URL, {"x": "1"})
    assert entry["body"] == {"webhook_url": "https://example.com/hook"}
    assert (entry["key"], entry["status"], entry["acted"], entry["fault"]) == ("main", 200, True, None)


def test_reading_and_refused_writing_do_not_count_as_acts(sandbox: RunningSandbox) -> None:
    sandbox.api.get(URL)
    sandbox.api.put(URL, json={"webhook_url": "http://example.com/"})
    sandbox.api.put(URL, content=b"{", headers={"content-type": "application/json"})
    assert [entry["acted"] for entry in sandbox.requests()] == [False, False, False]


def test_a_body_that_cannot_be_read_is_kept_as_text(sandbox: RunningSandbox) -> None:
    sandbox.api.put(URL, content=b"{oh", headers={"content-type": "application/json"})
    assert sandbox.requests()[0]["body"] == "{oh"


def test_the_control_interface_does_not_stand_in_the_record(sandbox: RunningSandbox) -> None:
    sandbox.look("/state")
    assert sandbox.requests() == []


def test_the_record_continues_from_a_sequence_number(sandbox: RunningSandbox) -> None:
    for _ in range(4):
        sandbox.api.get(URL)
    page = sandbox.look("/record", since=1, limit=2)
    assert [entry["sequence"] for entry in page["data"]] == [2, 3]
    assert page["received"] == 4


def test_the_record_forgets_the_oldest_and_keeps_counting() -> None:
    record = RequestLog(max_entries=3)
    for _ in range(5):
        record.open(datetime(2026, 1, 1, tzinfo=UTC), "GET", "/", {}, None, None)
    assert [entry.sequence for entry in record.since(0, 10)] == [3, 4, 5]
    assert [entry.sequence for entry in record.since(4, 10)] == [5]
    assert record.since(9, 10) == []
