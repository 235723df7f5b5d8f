"""People in the store: one id for all spellings, invitations that end, sign-ins that end, and rows that are sealed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from connector.core.errors import InputError
from connector.store import Database
from connector.store.people import people, sign_ins
from connector.store.people.people import Person
from connector.store.schema import people as people_table
from connector.store.schema import sign_ins as sign_ins_table
from connector.store.trust import rights_register, tokens
from connector.store.trust.granting_rows import TOKENS
from connector.store.trust.register_rows import open_sealed_vault
from connector.store.trust.rights_register import Unverified
from connector.store.trust.tokens import Token

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=3)
HASH = "scrypt$1$1$1$c2FsdA==$aGFzaA=="
Write = Callable[[Callable[[Any], Any]], Any]


def invited(write: Write, name: str, code: str, workspace: str | None = "kunde-a", now: datetime = NOW) -> Person:
    person: Person = write(lambda c: people.invite(c, workspace, name, "approver", code, LATER, "Ada", now)[0])
    return person


def accepted(write: Write, name: str, code: str = "code", workspace: str | None = "kunde-a") -> Person:
    invited(write, name, code, workspace)
    person: Person = write(lambda c: people.accept(c, code, HASH, NOW))
    return person


@pytest.mark.parametrize("spelling", ["Jose\u0301 Berg", " JOS\u00c9  berg", "jos\u00e9\u00a0Berg"])
def test_every_spelling_of_a_name_means_the_same_person(write: Write, spelling: str) -> None:
    first = write(lambda c: people.of_token(c, "kunde-a", "Jos\u00e9 Berg", NOW))
    again = write(lambda c: people.of_token(c, "kunde-a", spelling, NOW))
    assert (again.id, again.name) == (first.id, "Jos\u00e9 Berg")


@pytest.mark.parametrize("name", ["\u0410da Berg", "\u0410\u0434\u0430 Berg", "Ad\u0101 Berg", "Ada-Berg"])
def test_nobody_is_added_whose_name_looks_like_that_of_another(write: Write, database: Database, name: str) -> None:
    write(lambda c: people.of_token(c, "kunde-a", "Ada Berg", NOW))
    with pytest.raises(InputError):
        write(lambda c: people.of_token(c, "kunde-a", name, NOW))
    assert len(database.read(lambda c: people.listed(c, None))) == 1


def test_workspaces_have_people_of_the_same_name_and_the_whole_host_none_of_theirs(write: Write) -> None:
    each = write(lambda c: people.of_token(c, "kunde-a", "Anna Schmidt", NOW))
    other = write(lambda c: people.of_token(c, "kunde-b", "Anna Schmidt", NOW))
    assert each.id != other.id
    with pytest.raises(InputError):
        write(lambda c: people.of_token(c, None, "Anna Schmidt", NOW))
    everywhere = write(lambda c: people.of_token(c, None, "Jan Petersen", NOW))
    assert write(lambda c: people.of_token(c, "kunde-b", "jan petersen", NOW)).id == everywhere.id


def test_an_invitation_opens_once_and_in_time(write: Write, database: Database) -> None:
    invited(write, "Jan", "first")
    assert database.read(lambda c: people.invited_by_code(c, "guessed", NOW)) is None
    assert database.read(lambda c: people.invited_by_code(c, "first", LATER)) is None
    assert write(lambda c: people.accept(c, "first", HASH, LATER)) is None
    invited(write, "Jan", "second")
    assert write(lambda c: people.accept(c, "first", HASH, NOW)) is None, "a later one replaces it"
    person = write(lambda c: people.accept(c, "second", HASH, NOW))
    assert (person.state(NOW), person.is_active) == ("active", True)
    assert write(lambda c: people.accept(c, "second", HASH, NOW)) is None


def test_a_sign_in_ends_after_idle_hours_after_half_a_day_and_at_sign_out(write: Write, database: Database) -> None:
    person = accepted(write, "Jan")

    def token(digest: str) -> Token | None:
        return database.read(lambda c: sign_ins.find_all(c, [digest])).get(digest)

    write(lambda c: sign_ins.begin(c, person.id, "kunde-a", "one", NOW))
    begun = token("one")
    assert begun is not None
    assert (begun.actor.person_id, begun.actor.is_own, begun.actor.role) == (person.id, True, "approver")
    assert begun.is_valid(NOW + timedelta(hours=1, minutes=59))
    assert not begun.is_valid(NOW + timedelta(hours=2, minutes=1))
    write(lambda c: sign_ins.record_use(c, {"one": (NOW + timedelta(hours=11)).timestamp()}))
    used = token("one")
    assert used is not None
    assert used.is_valid(NOW + timedelta(hours=11, minutes=59))
    assert not used.is_valid(NOW + timedelta(hours=12, minutes=1)), "use does not prolong half a day"
    write(lambda c: sign_ins.end(c, "one", NOW))
    assert token("one") is None


def test_who_is_revoked_has_neither_sign_in_nor_token_nor_invitation(write: Write, database: Database) -> None:
    person = accepted(write, "Jan")
    write(lambda c: sign_ins.begin(c, person.id, "kunde-a", "one", NOW))
    own = Token("jan", "kunde-a", "approver", "Jan", NOW, None, None, None, person_id=person.id, made_by=person.id)
    flow = Token("flow", "kunde-a", "payer", "", NOW, None, None, None, made_by=person.id)
    for token in (own, flow):
        write(lambda c, token=token: tokens.create(c, token, f"kontor_{token.name}"))
    assert [each.name for each in write(lambda c: people.revoke(c, person.id, NOW))] == ["jan"]
    assert database.read(lambda c: sign_ins.find_all(c, ["one"])) == {}
    listed = {each.name: each.is_valid(NOW) for each in database.read(lambda c: tokens.listed(c, None))}
    assert listed == {"jan": False, "flow": True}
    assert [each.name for each in database.read(lambda c: tokens.made_for_others(c, person.id, NOW))] == ["flow"]
    assert database.read(lambda c: people.passphrases_of(c, None, "Jan")) == []


def test_rows_of_people_and_sign_ins_that_somebody_else_has_written_grant_nothing(
    write: Write, database: Database, location: str
) -> None:
    open_sealed_vault(database, location)
    person = accepted(write, "Jan")
    write(lambda c: sign_ins.begin(c, person.id, "kunde-a", "one", NOW))
    forged = {"digest": "two", "workspace": "kunde-a", "person_id": person.id, "began_at": 1.0, "ends_at": 9e9}
    write(lambda c: c.execute(sign_ins_table.insert().values(forged)))
    assert set(database.read(lambda c: sign_ins.find_all(c, ["one", "two"]))) == {"one"}
    write(lambda c: c.execute(update(people_table).values(role="admin")))
    assert database.read(lambda c: sign_ins.find_all(c, ["one"])) == {}
    with pytest.raises(Unverified):
        database.read(lambda c: people.find(c, person.id))


def test_tokens_from_before_get_their_people_once(write: Write, database: Database) -> None:
    spelled = {"a": "Anna Berg", "b": " anna  BERG ", "c": "\u0410nna Berg", "d": "Jan", "e": ""}
    for name, person in spelled.items():
        row = {"workspace": "kunde-a", "name": name, "role": "payer", "person": person, "digest": name, "made_at": 1.0}
        write(lambda c, row=row: rights_register.add(c, TOKENS, row))
    people.take_over(database, NOW)
    people.take_over(database, NOW)
    ids = {each.name: each.person_id for each in database.read(lambda c: tokens.listed(c, None))}
    assert ids["a"] == ids["b"] == ids["c"] != ids["d"]
    assert (ids["e"], len(database.read(lambda c: people.listed(c, None)))) == ("", 2)
    assert not any(each.is_active for each in database.read(lambda c: people.listed(c, None)))


def test_names_of_signs_or_blanks_that_earlier_versions_took_keep_no_host_from_starting(
    write: Write, database: Database
) -> None:
    for name, person in {"a": "!!!", "b": " !!! ", "c": "?", "d": "   "}.items():
        row = {"workspace": "kunde-a", "name": name, "role": "payer", "person": person, "digest": name, "made_at": 1.0}
        write(lambda c, row=row: rights_register.add(c, TOKENS, row))
    people.take_over(database, NOW)
    ids = {each.name: each.person_id for each in database.read(lambda c: tokens.listed(c, None))}
    assert ids["a"] == ids["b"]
    assert len({"", *ids.values()}) == 4
    assert {each.name for each in database.read(lambda c: people.listed(c, None))} == {"!!!", "?", "d"}


def test_no_token_is_named_like_a_sign_in(write: Write) -> None:
    with pytest.raises(InputError):
        write(lambda c: tokens.create(c, Token("person:1", None, "admin", "", NOW, None, None, None), "kontor_x"))
