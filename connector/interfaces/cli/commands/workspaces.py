"""`kontor workspaces`, `keys`, `people`, `tokens` and `hooks`: who uses a host, and with which keys."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from connector.core.callers import ROLES
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values.dates import iso
from connector.interfaces.cli.administration import call, on_this_machine
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.result_output import format_value

WORKSPACES_VERBS = ("create", "list")
KEYS_VERBS = ("check", "add", "replace", "revoke", "rotate-data-key")
PEOPLE_VERBS = ("invite", "list", "role", "revoke")
TOKENS_VERBS = ("create", "list", "revoke")
HOOKS_VERBS = ("rotate",)


def workspaces_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor workspaces`."""
    help = localized("help_workspaces_verb")
    parser.add_argument(
        "verb", nargs="?", default="list", choices=WORKSPACES_VERBS, metavar="|".join(WORKSPACES_VERBS), help=help
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help=localized("help_workspaces_name"))


def workspaces_command(options: argparse.Namespace) -> int:
    """Create a workspace, or list all."""
    from connector.operations import people

    if options.verb == "create":
        if not options.name:
            raise InputError(say("argument_missing", names="NAME"), field="NAME")
        document = call(people.create_workspace, name=options.name)
    else:
        document = call(people.list_workspaces)
    if options.json:
        print_json(document)
    elif options.verb == "create":
        print(localized("workspace_created", name=document["name"]))
    elif not document["workspaces"]:
        print(localized("workspaces_none"))
    else:
        print_table(
            [[workspace["name"], format_value(workspace["keys"])] for workspace in document["workspaces"]],
            right={1},
            indent="",
        )
    return 0


def keys_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor keys`."""
    parser.add_argument("verb", choices=KEYS_VERBS, metavar="|".join(KEYS_VERBS), help=localized("help_keys_verb"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def keys_command(options: argparse.Namespace) -> int:
    """Carry out the chosen verb; the key comes from `KONTOR_API_KEY`, or is asked for without echo."""
    document = _keys_document(options)
    if options.json:
        print_json(document)
    elif options.verb == "check":
        _print_key(document)
    elif options.verb == "rotate-data-key":
        print(localized("data_key_rotated" if document["file"] else "data_key_rotated_in_environment"))
    else:
        print(localized(f"keys_{options.verb}_done", workspace=document["workspace"]))
    return 0


def _keys_document(options: argparse.Namespace) -> dict[str, Any]:
    from connector.operations import people

    match options.verb:
        case "check":
            return call(people.check_workspace_key, api_key=_api_key(), workspace=options.workspace)
        case "add":
            return call(people.add_workspace_key, api_key=_api_key(), workspace=options.workspace)
        case "replace":
            return call(people.replace_workspace_key, api_key=_api_key(), workspace=options.workspace)
        case "revoke":
            return call(people.revoke_workspace_key, workspace=options.workspace)
        case _:  # the data of this machine is encrypted here, and never over HTTP
            return on_this_machine(people.rotate_data_key)


def _print_key(document: dict[str, Any]) -> None:
    """Say whom a key belongs to that is not kept."""
    print(localized("key_test_works", accounts=format_value(document["accounts"])))
    shown, expected = ", ".join(document["organizations"]), ", ".join(document["expected"])
    print(localized("key_belongs_to", organizations=shown) if shown else localized("key_belongs_unknown"))
    if expected:
        print(localized("key_expected", organizations=expected))


def _api_key() -> str:
    given = os.environ.get("KONTOR_API_KEY", "").strip()
    if not given and sys.stdin.isatty():
        given = getpass.getpass(localized("keys_ask")).strip()
    if not given:
        raise InputError(say("api_key_missing"), remedy=say("api_key_missing_remedy"), field="KONTOR_API_KEY")
    return given


def people_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor people`."""
    help = localized("help_people_verb")
    parser.add_argument(
        "verb", nargs="?", default="list", choices=PEOPLE_VERBS, metavar="|".join(PEOPLE_VERBS), help=help
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help=localized("help_people_name"))
    parser.add_argument("--role", choices=ROLES, metavar="|".join(ROLES), help=localized("help_tokens_role"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))
    parser.add_argument("--days", type=int, metavar="N", help=localized("help_people_days"))


def people_command(options: argparse.Namespace) -> int:
    """Carry out the chosen verb."""
    needed = {"invite": ("name", "role"), "role": ("name", "role"), "revoke": ("name",)}.get(options.verb, ())
    for name in needed:
        if not getattr(options, name):
            label = "NAME" if name == "name" else f"--{name}"
            raise InputError(say("argument_missing", names=label), field=label)
    document = _people_document(options)
    if options.json:
        print_json(document)
    elif options.verb == "list":
        _print_people(document["people"])
    elif options.verb == "invite":
        shown = {**document, "workspace": document["workspace"] or localized("whole_host")}
        shown["until"] = format_value(iso(_moment(document["until"])))
        names = ("name", "role", "workspace", "until", "link")
        print(localized("person_invited", **{name: shown[name] for name in names}))
        _print_ended(document)
    elif options.verb == "role":
        print(localized("person_role_changed", name=document["name"], role=document["role"]))
        _print_ended(document)
    else:
        print(localized("person_was_revoked", name=document["name"], tokens=", ".join(document["tokens"]) or "–"))
        if document["seen_tokens"]:
            print(localized("person_seen_tokens", name=document["name"], tokens=", ".join(document["seen_tokens"])))
    return 0


def _print_ended(document: dict[str, Any]) -> None:
    """Say which tokens have ended with a role."""
    if document["tokens"]:
        print(localized("person_tokens_ended", name=document["name"], tokens=", ".join(document["tokens"])))


def _people_document(options: argparse.Namespace) -> dict[str, Any]:
    from connector.operations import invitations

    if options.verb == "list":
        return call(invitations.list_people, workspace=options.workspace)
    if options.verb == "invite":
        return call(
            invitations.invite_person,
            name=options.name,
            role=options.role,
            workspace=options.workspace,
            days=options.days,
        )
    id = _person_id(options.name, options.workspace)
    if options.verb == "role":
        return call(invitations.change_role, id=id, role=options.role)
    return call(invitations.revoke_person, id=id)


def _person_id(name: str, workspace: str | None) -> str:
    """Return the id of whom a name means; the id itself does as well."""
    from connector.core.writes.person_names import normal_form
    from connector.operations import invitations

    people = call(invitations.list_people, workspace=workspace)["people"]
    meant = [one["id"] for one in people if one["id"] == name or normal_form(one["name"]) == normal_form(name)]
    if len(meant) != 1:
        message = say("person_ambiguous", name=name[:100]) if meant else say("person_unknown", name=name[:100])
        raise InputError(message, field="--workspace" if meant else "NAME")
    return str(meant[0])


def _print_people(people: list[dict[str, Any]]) -> None:
    if not people:
        print(localized("people_none"))
        return
    header = [localized(f"column_{name}") for name in ("person", "workspace", "role", "state")]
    rows = [
        [
            one["name"],
            one["workspace"] or localized("whole_host"),
            one["role"] or "–",
            localized(f"person_is_{one['state']}"),
        ]
        for one in people
    ]
    print_table(rows, header=header, indent="")


def tokens_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor tokens`."""
    help = localized("help_tokens_verb")
    parser.add_argument(
        "verb", nargs="?", default="list", choices=TOKENS_VERBS, metavar="|".join(TOKENS_VERBS), help=help
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help=localized("help_tokens_name"))
    parser.add_argument("--role", choices=ROLES, metavar="|".join(ROLES), help=localized("help_tokens_role"))
    parser.add_argument("--person", default="", metavar="P", help=localized("help_tokens_person"))
    parser.add_argument("--agent", action="store_true", help=localized("help_tokens_agent"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))
    parser.add_argument("--days", type=int, metavar="N", help=localized("help_tokens_days"))


def tokens_command(options: argparse.Namespace) -> int:
    """Carry out the chosen verb."""
    needed = {"create": ("name", "role"), "revoke": ("name",)}.get(options.verb, ())
    for name in needed:
        if not getattr(options, name):
            label = "NAME" if name == "name" else f"--{name}"
            raise InputError(say("argument_missing", names=label), field=label)
    if options.days is not None and not 0 < options.days <= 36_500:
        raise InputError(say("argument_out_of_range"), field="--days")
    document = _tokens_document(options)
    if options.json:
        print_json(document)
    else:
        _print_tokens(options.verb, document)
    return 0


def _tokens_document(options: argparse.Namespace) -> dict[str, Any]:
    from connector.operations import people

    if options.verb == "list":
        return call(people.list_tokens, workspace=options.workspace)
    if options.verb == "revoke":
        return call(people.revoke_token, name=options.name, workspace=options.workspace)
    days = options.days
    return call(
        people.create_token,
        name=options.name,
        role=options.role,
        person=options.person,
        workspace=options.workspace,
        agent=options.agent,
        expires_at=None if days is None else datetime.now(UTC) + timedelta(days=days),
    )


def _print_tokens(verb: str, document: dict[str, Any]) -> None:
    if verb == "create":
        shown = {**document, "workspace": document["workspace"] or localized("whole_host")}
        print(localized("token_created", **{name: shown[name] for name in ("name", "role", "workspace", "token")}))
    elif verb == "revoke":
        print(localized("token_revoked", name=document["name"]))
    elif not document["tokens"]:
        print(localized("tokens_none"))
    else:
        header = [
            localized(f"column_{name}") for name in ("token", "workspace", "role", "agent", "person", "used", "state")
        ]
        print_table([_token_row(token) for token in document["tokens"]], header=header, indent="")


def _token_row(token: dict[str, Any]) -> list[str]:
    from connector.operations.people import token_state

    state = token_state(token, datetime.now(UTC))
    used = format_value(iso(_moment(token["last_used_at"]))) if token["last_used_at"] else ""
    workspace = token["workspace"] or localized("whole_host")
    agent = localized("token_is_agent") if token.get("agent") else ""
    return [token["name"], workspace, token["role"], agent, token["person"], used, localized(f"token_is_{state}")]


def _moment(value: datetime | str) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def hooks_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor hooks`."""
    parser.add_argument("verb", choices=HOOKS_VERBS, metavar="|".join(HOOKS_VERBS), help=localized("help_hooks_verb"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def hooks_command(options: argparse.Namespace) -> int:
    """Replace the token; the former one is valid until the service has been told the new URL."""
    from connector.operations import people

    document = call(people.rotate_hook_tokens, workspace=options.workspace)
    if options.json:
        print_json(document)
    else:
        print(localized("hooks_rotated", workspace=document["workspace"]))
    return 0
