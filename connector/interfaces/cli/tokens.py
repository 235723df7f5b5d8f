"""`kontor tokens`: creates, lists and revokes the tokens of a host's callers."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.roles import ROLES
from connector.core.values.dates import iso
from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, print_table

VERBS = ("create", "list", "revoke")
PATH = "/v1/tokens"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor tokens`."""
    help = localized("help_tokens_verb")
    parser.add_argument("verb", nargs="?", default="list", choices=VERBS, metavar="|".join(VERBS), help=help)
    parser.add_argument("name", nargs="?", metavar="NAME", help=localized("help_tokens_name"))
    parser.add_argument("--role", choices=ROLES, metavar="|".join(ROLES), help=localized("help_tokens_role"))
    parser.add_argument("--person", default="", metavar="P", help=localized("help_tokens_person"))
    parser.add_argument("--agent", action="store_true", help=localized("help_tokens_agent"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))
    parser.add_argument("--days", type=int, metavar="N", help=localized("help_tokens_days"))


def run(options: argparse.Namespace) -> int:
    """Carry out the chosen verb."""
    needed = {"create": ("name", "role"), "revoke": ("name",)}.get(options.verb, ())
    for name in needed:
        if not getattr(options, name):
            label = "NAME" if name == "name" else f"--{name}"
            raise InputError(say("argument_missing", names=label), field=label)
    if options.days is not None and not 0 < options.days <= 36_500:
        raise InputError(say("argument_out_of_range"), field="--days")
    document = {"create": _create, "list": _list, "revoke": _revoke}[options.verb](options)
    if options.json:
        print_json(document)
    else:
        _print(options.verb, document)
    return 0


def _create(options: argparse.Namespace) -> dict[str, Any]:
    from connector.interfaces import administration

    expires_at = None if options.days is None else datetime.now(UTC) + timedelta(days=options.days)
    given: dict[str, Any] = {
        "name": options.name,
        "role": options.role,
        "person": options.person,
        "workspace": options.workspace,
    }
    given["agent"] = options.agent
    sent = {**given, "expires_at": None if expires_at is None else expires_at.isoformat(timespec="seconds")}
    return administer(
        lambda context: administration.create_token(context, None, **given, expires_at=expires_at),
        "POST",
        PATH,
        body=sent,
    )


def _list(options: argparse.Namespace) -> dict[str, Any]:
    from connector.interfaces import administration

    return administer(
        lambda context: administration.list_tokens(context, None, options.workspace),
        "GET",
        PATH,
        query={"workspace": options.workspace},
    )


def _revoke(options: argparse.Namespace) -> dict[str, Any]:
    from connector.interfaces import administration

    return administer(
        lambda context: administration.revoke_token(context, None, options.name, options.workspace),
        "DELETE",
        PATH,
        query={"name": options.name, "workspace": options.workspace},
    )


def _print(verb: str, document: dict[str, Any]) -> None:
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
        print_table([_row(one) for one in document["tokens"]], header=header, indent="")


def _row(one: dict[str, Any]) -> list[str]:
    from connector.interfaces.administration import token_state

    state = token_state(one, datetime.now(UTC))
    used = format_value(iso(_time(one["last_used_at"]))) if one["last_used_at"] else ""
    workspace = one["workspace"] or localized("whole_host")
    agent = localized("token_is_agent") if one.get("agent") else ""
    return [one["name"], workspace, one["role"], agent, one["person"], used, localized(f"token_is_{state}")]


def _time(value: datetime | str) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value
