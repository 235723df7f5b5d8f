"""The script of the Power Automate connector, compiled and run by Mono, does what the engine of the tests does."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest

from connector import Connector
from connector.core.messages import say
from connector.export import power_automate
from connector.export.power_automate.names import operation_id
from connector.export.shape import ExportOptions
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.export.interpreter.exchange import Sent
from tests.export.interpreter.power_engine import PowerEngine
from tests.export.interpreter.rows import entered
from tests.support.filled_in import all_inputs

CONNECTOR = Connector("unused")
HERE = Path(__file__).parent / "mono"
COMPILER = Path("/usr/bin/mcs")
JSON_LIBRARY = Path("/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll")


class Script:
    """The compiled script, waiting for calls."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(["mono", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, operation: str, sent: Sent) -> dict[str, Any]:
        """What the script answers to the platform: status, location and text."""
        call = {
            "operation": operation,
            "method": sent.method,
            "url": sent.url,
            "key": sent.headers["x-api-key"],
            "body": sent.content.decode() if sent.content else None,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(call) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


@pytest.fixture(scope="module", params=["en", "de"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    if missing := [path for path in (COMPILER, JSON_LIBRARY) if not path.exists()]:
        if os.environ.get("CI") == "true":
            pytest.fail(f"there is no {missing[0]}")
        pytest.skip(f"there is no {missing[0]}: make test-platforms installs it")
    folder = tmp_path_factory.mktemp("mono")
    export = power_automate.build(CONNECTOR, ExportOptions(lang=request.param, with_writes=True))
    script = (HERE / "Usings.cs").read_text(encoding="utf-8") + export.files["script.csx"].decode()
    (folder / "Script.cs").write_text(script, encoding="utf-8")
    (folder / JSON_LIBRARY.name).symlink_to(JSON_LIBRARY)
    compiled = folder / "script.exe"
    libraries = ["-r:System.Net.Http", f"-r:{JSON_LIBRARY}"]
    command = [COMPILER, "-warnaserror", f"-out:{compiled}", *libraries, "Script.cs", HERE / "Platform.cs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return request.param, compiled


@pytest.fixture
def script(program: tuple[str, Path]) -> Iterator[Script]:
    script = Script(program[1])
    yield script
    script.close()


@pytest.fixture
def engine(program: tuple[str, Path], power_engine: PowerEngine) -> PowerEngine:
    """The engine, in the script's language."""
    lang: Any = program[0]
    options = ExportOptions(base_url=_base(power_engine), lang=lang, with_writes=True)
    return PowerEngine(power_automate.build(CONNECTOR, options), power_engine.credential)


def _base(engine: PowerEngine) -> str:
    return f"{engine.definition['schemes'][0]}://{engine.definition['host']}"


def test_every_dropdown_shows_what_the_engine_shows(script: Script, engine: PowerEngine, power_session: Any) -> None:
    for lookup in CONNECTOR.lookups.values():
        target = operation_id(lookup)
        if target not in engine.routes:
            continue
        given: dict[str, Any] = {}
        if lookup.request is not None:
            given, _ = entered(lookup, all_inputs(lookup, power_session), power_session.credential.wire)
        _, rows = engine.listed(target, given)
        answer = script.run(target, engine.filled_in(target, given))
        assert answer["status"] == 200, (lookup.id, answer)
        assert json.loads(answer["text"])["data"] == rows, lookup.id
        assert rows, lookup.id


DAYS = [date(2026, 1, 1) + timedelta(days=number) for number in range(365 * 2)]
MOMENTS = {
    datetime.combine(day, at, ZoneInfo("Europe/Berlin")).astimezone(UTC).isoformat().replace("+00:00", "Z"): day
    for day in DAYS
    for at in (time(0, 0), time(23, 59, 59))
} | {"2027-12-31T23:00:00+02:00": date(2027, 12, 31)}
"""The first and the last second of every day of two years in Berlin, as points in time, and the day."""


class Payments(BaseHTTPRequestHandler):
    """A service whose payments were made at these points in time."""

    def do_GET(self) -> None:
        rows = [{"id": str(number), "created_at": moment} for number, moment in enumerate(MOMENTS)]
        body = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def test_a_point_in_time_is_shown_as_its_day_in_berlin(program: tuple[str, Path], script: Script) -> None:
    target, lang = operation_id(CONNECTOR.lookup("payments")), program[0]
    with ThreadingHTTPServer(("127.0.0.1", 0), Payments) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        options = ExportOptions(base_url=f"http://127.0.0.1:{server.server_port}", lang=lang)  # type: ignore[arg-type]
        engine = PowerEngine(power_automate.build(CONNECTOR, options), {"api_key": "a-key"})
        _, rows = engine.listed(target, {})
        answer = script.run(target, engine.filled_in(target, {}))
        server.shutdown()
    assert len(rows) == len(MOMENTS)
    assert json.loads(answer["text"])["data"] == rows
    written = "%d.%m.%Y" if lang == "de" else "%Y-%m-%d"
    wrong = [(row, day) for row, day in zip(rows, MOMENTS.values(), strict=True) if f"{day:{written}}" not in str(row)]
    assert wrong == []


def test_a_poll_gives_what_the_engine_gives_and_no_digit_is_lost(
    script: Script, engine: PowerEngine, sandbox: Any
) -> None:
    id, inputs = "TriggerNewTransaction", {"account_id": MAIN_ACCOUNT, "include_pending": True}
    first, expected = script.run(id, engine.filled_in(id, inputs)), engine.poll(id, inputs)
    assert (first["status"], expected.status) == (202, 202)
    sandbox.order_exact("/transactions", {"amount": Decimal("9999999999999.99")})
    for order in ({"status": "pending"}, {"count": 45}, {"duplicated": True}):
        sandbox.order("/transactions", **order)
    later = Sent("GET", first["location"], engine.filled_in(id, inputs).headers)
    second, expected = script.run(id, later), engine.poll(id, inputs, expected.location)
    assert second["status"] == expected.status == 200
    ids = [row["_id"] for row in json.loads(second["text"])["items"]]
    assert ids == [row["_id"] for row in expected.items]
    assert '"amount":9999999999999.99' in second["text"]
    assert all(int(id) > 2**53 for id in ids)
    assert urlsplit(second["location"]).path.endswith(engine.routes[id]["virtual"])
    third = script.run(id, Sent("GET", second["location"], later.headers))
    assert (third["status"], third["text"]) == (202, "")


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_write_is_not_repeated_by_the_platform(
    status: int, program: tuple[str, Path], script: Script, engine: PowerEngine, sandbox: Any
) -> None:
    sandbox.order("/faults", kind="answer_after", status=status, match={"method": "POST"})
    body = {
        "account_id": MAIN_ACCOUNT,
        "creditor_name": "Reifen Voss KG",
        "creditor_iban": "DE02120300000000202051",
        "amount": 297.5,
    }
    sent = engine.filled_in("InitiatePayment", {}, body)
    answer = script.run("InitiatePayment", sent)
    assert answer["status"] == 424
    told = json.loads(answer["text"])
    assert (told["status"], told["message"]) == (status, say("power_not_repeated").in_(program[0]))
    assert script.run("InitiatePayment", sent)["status"] in (200, 201), "what the service takes is handed on"
