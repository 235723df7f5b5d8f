"""What a Python developer gets: names to import, results as JSON, sentences to print, deliveries to trust."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import connector
from connector import Connector, Credential, InputError, KontorError, verify_delivery
from connector.durable.sending import signing
from connector.runtime.session import Session
from tests.support.running_sandbox import RunningSandbox

BODY = '{"_id": "17", "amount": 12.50, "id": 12345678901234567890}'


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Any) -> Any:
    kontor = Connector(str(tmp_path))
    with kontor.open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session
    kontor.close()


def test_every_public_name_can_be_imported_and_every_kind_of_error_is_one() -> None:
    for name in connector.__all__:
        assert getattr(connector, name) is not None
    kinds = {one.__name__ for one in KontorError.__subclasses__() if one.__module__ == "connector.core.errors"}
    assert kinds <= set(connector.__all__)
    with pytest.raises(AttributeError):
        _ = connector.nothing_of_the_kind  # type: ignore[attr-defined]


def test_results_options_and_polls_are_written_as_json_with_exact_amounts(session: Session) -> None:
    result = session.invoke("list_transactions", {"account_id": session.options("bank_accounts").options[0].value})
    exact = json.loads(result.to_json(), parse_float=Decimal)
    rows = zip(exact["output"]["items"], result.output["items"], strict=True)
    assert all(Decimal(row["amount"]) == told["amount"] for row, told in rows)
    assert json.loads(session.options("bank_accounts").to_json())["options"]
    assert json.loads(session.poll("new_payment", start="all").to_json())["cursor"]


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "Id of the payment"), ("de", "ID der Zahlung"), ("", "Id of the payment")]
)
def test_an_error_is_printed_in_the_callers_language(
    session: Session, monkeypatch: pytest.MonkeyPatch, lang: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        session.invoke("get_payment", {})
    monkeypatch.setenv("KONTOR_LANG", lang)
    assert said in str(caught.value.remedy)
    assert str(caught.value.remedy) == caught.value.remedy.in_(lang)
    assert json.loads(caught.value.to_json())["field"] == "id"


SNIPPETS = re.findall(r"(?s)```python\n(.*?)```", (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8"))


@pytest.mark.long
@pytest.mark.parametrize("snippet", SNIPPETS, ids=[str(place) for place in range(len(SNIPPETS))])
def test_what_the_readme_prints_runs_as_it_is(sandbox: RunningSandbox, tmp_path: Path, snippet: str) -> None:
    credential = {"KONTOR_BASE_URL": sandbox.url, "KONTOR_API_KEY": "sandbox-key", "KONTOR_DATA": str(tmp_path)}
    command = [sys.executable, "-c", snippet]
    done = subprocess.run(command, env={**os.environ, **credential}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_there_are_snippets_for_both_kinds_of_callers() -> None:
    assert ["await " in snippet for snippet in SNIPPETS] == [False, False, True, False]


def test_a_delivery_is_trusted_by_its_signature_alone() -> None:
    secret, now = signing.new_secret(), datetime.now(UTC)
    headers = signing.headers(secret, "msg_1", BODY, now)
    item = verify_delivery({name.title(): value for name, value in headers.items()}, BODY.encode(), secret)
    assert (item["amount"], item["id"]) == (Decimal("12.50"), 12345678901234567890)
    rotated = signing.headers(signing.new_secret(), "msg_1", BODY, now, secret)
    assert verify_delivery(rotated, BODY, secret) == item
    old = signing.headers(secret, "msg_1", BODY, now - timedelta(minutes=6))
    wrong: list[tuple[dict[str, str], str, str]] = [
        (headers, BODY.replace("12.50", "13.50"), secret),
        (headers, BODY, signing.new_secret()),
        (headers, BODY, "whsec_"),
        (headers, BODY, "no secret at all"),
        ({**headers, "webhook-id": "msg_2"}, BODY, secret),
        ({**headers, "webhook-signature": "v1"}, BODY, secret),
        ({}, BODY, secret),
        (old, BODY, secret),
    ]
    for given, body, key in wrong:
        with pytest.raises(InputError) as caught:
            verify_delivery(given, body, key)
        assert caught.value.field == "webhook-signature"
