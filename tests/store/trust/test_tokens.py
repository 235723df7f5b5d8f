"""Tokens: only digests are stored, a name is used once, and a workspace sees its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connector.core.errors import InputError
from connector.store import Database
from connector.store.trust import tokens
from connector.store.trust.tokens import Token

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
Write = Callable[[Callable[[Any], Any]], Any]


def make(write: Write, name: str, workspace: str | None, **more: Any) -> str:
    text = tokens.new_token()
    token = Token(name, workspace, "operator", "Ada", NOW, None, more.get("expires_at"), None)
    write(lambda c: tokens.create(c, token, text))
    return text


def test_a_token_is_found_by_its_digest_and_stands_nowhere_in_the_clear(database: Database, write: Write) -> None:
    text = make(write, "n8n", "kunde-a")
    assert len(text) >= 32
    found = database.read(lambda c: tokens.find(c, tokens.digest(text)))
    assert found is not None
    assert (found.actor.name, found.actor.role, found.actor.workspace, found.person) == (
        *("n8n", "operator", "kunde-a"),
        "Ada",
    )
    row = database.read(lambda c: c.exec_driver_sql("select * from tokens").one())
    assert text not in str(tuple(row))


def test_a_name_is_used_once_in_a_workspace_even_after_a_revocation(write: Write) -> None:
    make(write, "n8n", "kunde-a")
    make(write, "n8n", "kunde-b")
    write(lambda c: tokens.revoke(c, "n8n", "kunde-a", NOW))
    with pytest.raises(InputError):
        make(write, "n8n", "kunde-a")


def test_a_workspace_sees_and_revokes_only_its_own(database: Database, write: Write) -> None:
    make(write, "one", "kunde-a")
    make(write, "two", "kunde-b")
    make(write, "all", None)
    assert [one.name for one in database.read(lambda c: tokens.listed(c, "kunde-a"))] == ["one"]
    assert len(database.read(lambda c: tokens.listed(c, None))) == 3
    for name in ("two", "all"):
        with pytest.raises(InputError):
            write(lambda c, name=name: tokens.revoke(c, name, "kunde-a", NOW))


def test_a_name_of_several_workspaces_is_not_guessed(write: Write) -> None:
    make(write, "n8n", "kunde-a")
    make(write, "n8n", "kunde-b")
    with pytest.raises(InputError) as refused:
        write(lambda c: tokens.revoke(c, "n8n", None, NOW))
    assert refused.value.field == "workspace"


def test_a_token_is_valid_until_it_expires_or_is_revoked(database: Database, write: Write) -> None:
    text = make(write, "n8n", "kunde-a", expires_at=NOW + timedelta(days=1))
    found = database.read(lambda c: tokens.find(c, tokens.digest(text)))
    assert found.is_valid(NOW)
    assert not found.is_valid(NOW + timedelta(days=1))
    write(lambda c: tokens.revoke(c, "n8n", None, NOW))
    assert not database.read(lambda c: tokens.find(c, tokens.digest(text))).is_valid(NOW)


def test_the_last_use_never_goes_back(database: Database, write: Write) -> None:
    text = make(write, "n8n", "kunde-a")
    for at in (NOW, NOW - timedelta(hours=1)):
        used = {tokens.digest(text): at.timestamp()}
        write(lambda c, used=used: tokens.record_use(c, used))
    assert database.read(lambda c: tokens.find(c, tokens.digest(text))).last_used_at == NOW


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
def test_a_name_that_nobody_can_type_is_refused(write: Write, name: str) -> None:
    with pytest.raises(InputError):
        make(write, name, "kunde-a")
