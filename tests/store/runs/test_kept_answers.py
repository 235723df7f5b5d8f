"""The last answers of reads: kept encrypted, for one workspace and key, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import text

from connector.store import Database, open_database
from connector.store.runs import forms
from connector.store.runs.forms import KeptAnswer

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
IBAN = "DE89370400440532013000"
ANSWER = KeptAnswer({"side": "debitors"}, {"items": [{"iban": IBAN, "amount": Decimal("0.10")}]}, NOW)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())
    opened = open_database(str(tmp_path))
    yield opened
    opened.close()


def keep(database: Database, answer: KeptAnswer = ANSWER, workspace: str = "w", digest: str = "d") -> bool:
    return database.write(lambda c: forms.keep_answer(c, workspace, "key", "read", digest, answer)).result()


def latest(database: Database, now: datetime = NOW, workspace: str = "w", key: str = "key") -> KeptAnswer | None:
    return database.read(lambda c: forms.latest_answer(c, workspace, key, "read", now, "d"))


def test_an_answer_is_kept_exactly_and_stands_in_the_database_only_encrypted(database: Database) -> None:
    assert keep(database)
    assert latest(database) == ANSWER
    [stored] = database.read(lambda c: c.execute(text("SELECT body FROM kept_answers")).scalars().all())
    assert IBAN not in (stored if isinstance(stored, str) else stored.decode("latin-1"))


def test_another_workspace_or_key_does_not_see_it(database: Database) -> None:
    keep(database)
    assert latest(database, workspace="other") is None
    assert latest(database, key="other") is None


def test_the_newer_answer_takes_the_place_of_the_one_before(database: Database) -> None:
    keep(database)
    newer = KeptAnswer(ANSWER.inputs, {"items": []}, NOW + timedelta(hours=1))
    keep(database, newer)
    assert latest(database, NOW + timedelta(hours=2)) == newer
    assert database.read(lambda c: c.execute(text("SELECT COUNT(*) FROM kept_answers")).scalar_one()) == 1


def test_after_thirty_days_it_is_neither_shown_nor_kept(database: Database) -> None:
    keep(database)
    almost, later = NOW + timedelta(days=30, seconds=-1), NOW + timedelta(days=30)
    assert latest(database, almost) == ANSWER
    assert latest(database, later) is None
    assert database.write(lambda c: forms.delete_old_answers(c, almost)).result() == 0
    assert database.write(lambda c: forms.delete_old_answers(c, later)).result() == 1


def test_answers_are_found_by_their_inputs_and_listed_with_what_they_belong_to(database: Database) -> None:
    other = KeptAnswer({"side": "creditors"}, {"items": []}, NOW + timedelta(hours=1), {"side": "Kreditoren"})
    keep(database)
    keep(database, other, digest="e")
    assert latest(database) == ANSWER
    later = NOW + timedelta(hours=2)
    assert database.read(lambda c: forms.list_answers(c, "w", "key", "read", later, 10)) == [other, ANSWER]
    assert database.read(lambda c: forms.list_answers(c, "other", "key", "read", later, 10)) == []


def test_an_answer_that_is_too_large_is_not_kept(database: Database) -> None:
    assert not keep(database, KeptAnswer({}, "x" * forms.MOST_BYTES, NOW))
    assert latest(database) is None
