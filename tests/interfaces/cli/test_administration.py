"""`kontor workspaces`, `keys` and `tokens` on the data of this machine and over HTTP, with the same documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from connector.core.messages import say
from connector.store import open_database
from connector.store.trust import credentials, tokens
from tests.interfaces.cli.kontor_command import Kontor
from tests.support.running_sandbox import organisation_with_a_payment


def test_a_token_is_shown_once_listed_without_it_and_revoked(kontor_here: Kontor, where: dict[str, str]) -> None:
    made = kontor_here("tokens", "create", "n8n", "--role", "payer", "--person", "Ada", "--json", **where).document
    assert set(made) == {"ok", "name", "role", "workspace", "token"}
    assert (made["ok"], made["name"], made["role"], made["workspace"]) == (True, "n8n", "payer", "default")
    assert len(made["token"]) >= 32
    listed = kontor_here("tokens", "list", "--json", **where)
    assert made["token"] not in listed.out
    [one] = listed.document["tokens"]
    assert (one["name"], one["role"], one["person"], one["revoked_at"]) == ("n8n", "payer", "Ada", None)
    assert kontor_here("tokens", "revoke", "n8n", "--json", **where).document["revoked"] is True
    [one] = kontor_here("tokens", "--json", **where).document["tokens"]
    assert one["revoked_at"]
    again = kontor_here("tokens", "revoke", "n8n", "--json", **where)
    assert (again.status, again.error["kind"]) == (2, "input")


def test_a_token_of_an_agent_says_so(kontor_here: Kontor, where: dict[str, str]) -> None:
    made = kontor_here("tokens", "create", "bot", "--role", "payer", "--agent", "--json", **where).document
    assert made["agent"] is True
    kontor_here("tokens", "create", "n8n", "--role", "payer", "--json", **where)
    listed = kontor_here("tokens", "list", "--json", **where).document["tokens"]
    assert {one["name"]: one["agent"] for one in listed} == {"bot": True, "n8n": False}
    shown = {line.split()[0]: line for line in kontor_here("tokens", **where).out.splitlines()}
    assert "agent" in shown["bot"]
    assert "agent" not in shown["n8n"]


def test_workspaces_are_created_once_and_listed(kontor_here: Kontor, where: dict[str, str]) -> None:
    assert kontor_here("workspaces", "create", "kunde-a", "--json", **where).document == {"ok": True, "name": "kunde-a"}
    assert kontor_here("workspaces", "create", "kunde-a", "--json", **where).status == 2
    listed = kontor_here("workspaces", "list", "--json", **where).document["workspaces"]
    assert [(one["name"], one["keys"]) for one in listed] == [("kunde-a", 0)]
    assert (
        kontor_here("tokens", "create", "x", "--role", "viewer", "--workspace", "nowhere", "--json", **where).status
        == 2
    )


def test_a_key_is_tested_before_it_is_kept(
    kontor_here: Kontor, where: dict[str, str], environment: dict[str, str]
) -> None:
    kontor_here("workspaces", "create", "kunde-a", **where)
    wrong = kontor_here("keys", "add", "--workspace", "kunde-a", "--json", KONTOR_API_KEY="wrong-key", **where)
    assert (wrong.status, wrong.error["kind"]) == (3, "key_refused")
    assert "wrong-key" not in wrong.out
    database = open_database(environment["KONTOR_DATA"])
    try:
        assert database.read(lambda c: credentials.listed(c, None)) == []
        right = kontor_here("keys", "add", "--workspace", "kunde-a", "--json", **where).document
        assert right["workspace"] == "kunde-a"
        held = database.read(lambda c: credentials.chosen(c, "kunde-a"))
        assert held is not None
        assert held.fingerprint == right["fingerprint"]
    finally:
        database.close()


def test_a_key_is_replaced_within_its_organisation_only(
    kontor_here: Kontor, where: dict[str, str], environment: dict[str, str], sandbox: Any
) -> None:
    kontor_here("workspaces", "create", "kunde-a", **where)
    kontor_here("workspaces", "create", "kunde-b", **where)
    assert kontor_here("keys", "add", "--workspace", "kunde-a", **where).status == 0
    assert kontor_here("keys", "add", "--workspace", "kunde-b", "--json", **where).error["kind"] == "right_missing"
    werft = {"KONTOR_API_KEY": organisation_with_a_payment(sandbox)}
    foreign = kontor_here("keys", "replace", "--workspace", "kunde-a", "--json", **werft, **where)
    assert (foreign.status, foreign.error["kind"]) == (3, "right_missing")
    assert kontor_here("keys", "add", "--workspace", "kunde-b", **werft, **where).status == 0
    second = kontor_here("keys", "replace", "--workspace", "kunde-a", "--json", KONTOR_API_KEY="sandbox-key-2", **where)
    assert second.document["replaced"] is True
    assert kontor_here("keys", "revoke", "--workspace", "kunde-a", "--json", **where).document["revoked"] is True
    database = open_database(environment["KONTOR_DATA"])
    try:
        assert database.read(lambda c: credentials.chosen(c, "kunde-a")) is None
        sealed = database.read(
            lambda c: (
                c.exec_driver_sql("select sealed_key from credentials where workspace = 'kunde-a'").scalars().all()
            )
        )
        assert sealed == [""]
    finally:
        database.close()


def test_a_refusal_of_the_host_keeps_its_kind_and_exit_status(
    kontor_here: Kontor, unused_port: int, sandbox: Any
) -> None:
    away = {"KONTOR_HOST_URL": f"http://127.0.0.1:{unused_port}", "KONTOR_HOST_TOKEN": "t" * 40}
    assert kontor_here("tokens", "list", "--json", **away).status == 5
    plain = {"KONTOR_HOST_URL": "http://host.example", "KONTOR_HOST_TOKEN": "t" * 40}
    refused = kontor_here("tokens", "list", "--json", **plain)
    assert (refused.status, refused.error["field"]) == (2, "KONTOR_HOST_URL")
    assert refused.error["message"] == say("host_url_plain_http").en


def test_what_is_missing_on_the_command_line_is_named(kontor_here: Kontor) -> None:
    assert kontor_here("tokens", "create", "--role", "viewer", "--json").error["field"] == "NAME"
    assert kontor_here("tokens", "create", "x", "--json").error["field"] == "--role"
    assert kontor_here("tokens", "create", "x", "--role", "king", "--json").status == 2
    assert kontor_here("workspaces", "create", "--json").error["field"] == "NAME"


def test_a_token_may_expire(kontor_here: Kontor, environment: dict[str, str]) -> None:
    made = kontor_here("tokens", "create", "short", "--role", "viewer", "--days", "1", "--json").document
    database = open_database(environment["KONTOR_DATA"])
    try:
        found = database.read(lambda c: tokens.find(c, tokens.digest(made["token"])))
        assert found is not None
        assert found.expires_at is not None
        assert round((found.expires_at - found.made_at).total_seconds()) == 86_400
    finally:
        database.close()


def test_the_data_key_is_replaced_on_this_machine(kontor_here: Kontor, environment: dict[str, str]) -> None:
    assert kontor_here("keys", "add", "--json").status == 0
    path = Path(environment["KONTOR_DATA"]) / "kontor.key"
    before = path.read_text()
    rotated = kontor_here("keys", "rotate-data-key", "--json").document
    assert (rotated["ok"], rotated["file"]) == (True, True)
    assert path.read_text() != before
    assert kontor_here("audit", "verify", "--json").document["ok"] is True
    assert kontor_here("keys", "revoke", "--json").document["revoked"] is True


def test_people_are_invited_listed_given_a_role_and_revoked_on_this_machine_and_over_http(
    kontor_here: Kontor, where: dict[str, str]
) -> None:
    made = kontor_here("people", "invite", "Ada Berg", "--role", "payer", "--json", **where).document
    assert (made["name"], made["role"], made["link"].partition("?code=")[2]) == (
        "Ada Berg",
        "payer",
        made["invitation"],
    )
    (one,) = kontor_here("people", "--json", **where).document["people"]
    assert (one["id"], one["state"], one["role"]) == (made["id"], "invited", "payer")
    changed = kontor_here("people", "role", " ada  BERG", "--role", "approver", "--json", **where).document
    assert (changed["id"], changed["role"]) == (made["id"], "approver")
    assert kontor_here("people", "revoke", "Ada Berg", "--json", **where).document["revoked"] is True
    listed = kontor_here("people", **where)
    assert "revoked" in listed.out
    unknown = kontor_here("people", "revoke", "Jan", "--json", **where)
    assert (unknown.status, unknown.error["field"]) == (2, "NAME")
