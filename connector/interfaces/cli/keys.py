"""`kontor keys`: adds, replaces and revokes the API key of a workspace."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from connector.core.credential import Credential
from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.wire import Wire
from connector.interfaces.cli.administration import Document, administer, on_this_machine
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from connector.durable.context import JobContext

VERBS = ("add", "replace", "revoke", "rotate-data-key")
PATH = "/v1/keys"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor keys`."""
    parser.add_argument("verb", choices=VERBS, metavar="|".join(VERBS), help=localized("help_keys_verb"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def run(options: argparse.Namespace) -> int:
    """Carry out the chosen verb; the key comes from `KONTOR_API_KEY`, or is asked for without echo."""
    verbs = {"add": _add, "replace": _replace, "revoke": _revoke, "rotate-data-key": _rotate_data_key}
    document = verbs[options.verb](options)
    if options.json:
        print_json(document)
    elif options.verb == "rotate-data-key":
        print(localized("data_key_rotated" if document["file"] else "data_key_rotated_in_environment"))
    else:
        print(localized(f"keys_{options.verb}_done", workspace=document["workspace"]))
    return 0


def _add(options: argparse.Namespace) -> Document:
    from connector.interfaces import administration

    api_key = _api_key()

    async def add(context: JobContext) -> Document:
        credential = replace(_credential(), api_key=api_key)
        return await administration.add_workspace_key(context, None, credential, options.workspace)

    return administer(add, "POST", PATH, query={"workspace": options.workspace}, headers={"x-api-key": api_key})


def _replace(options: argparse.Namespace) -> Document:
    from connector.interfaces import administration

    api_key = _api_key()
    return administer(
        lambda context: administration.replace_workspace_key(context, None, api_key, options.workspace),
        "PUT",
        PATH,
        query={"workspace": options.workspace},
        headers={"x-api-key": api_key},
    )


def _revoke(options: argparse.Namespace) -> Document:
    from connector.interfaces import administration

    return administer(
        lambda context: administration.revoke_workspace_key(context, None, options.workspace),
        "DELETE",
        PATH,
        query={"workspace": options.workspace},
    )


def _rotate_data_key(options: argparse.Namespace) -> Document:
    """Replace the key with which this machine's data is encrypted; never over HTTP."""
    from connector.interfaces import administration

    return on_this_machine(administration.rotate_data_key)


def _api_key() -> str:
    given = os.environ.get("KONTOR_API_KEY", "").strip()
    if not given and sys.stdin.isatty():
        given = getpass.getpass(localized("keys_ask")).strip()
    if not given:
        raise InputError(say("api_key_missing"), remedy=say("api_key_missing_remedy"), field="KONTOR_API_KEY")
    return given


def _credential() -> Credential:
    """Return the environment's base URL, label and wire names, with a placeholder for the key."""
    env = os.environ
    return Credential(env.get("KONTOR_BASE_URL", ""), "-", env.get("KONTOR_QUELLE", ""), Wire.load(env))
