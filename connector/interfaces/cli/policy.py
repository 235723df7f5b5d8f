"""`kontor policy`: shows and changes what a workspace allows."""

from __future__ import annotations

import argparse
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.administration import administer
from connector.interfaces.cli.formatting import format_value
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, print_table

VERBS = ("show", "set")
PATH = "/v1/policy"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor policy`."""
    help = localized("help_policy_verb")
    parser.add_argument("verb", nargs="?", default="show", choices=VERBS, metavar="|".join(VERBS), help=help)
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help=localized("help_policy_values"))
    parser.add_argument("--workspace", metavar="W", help=localized("help_workspace"))


def run(options: argparse.Namespace) -> int:
    """Show the policy, or change it."""
    if bool(options.values) != (options.verb == "set"):
        raise InputError(say("argument_missing", names="set NAME=VALUE"), field="NAME=VALUE")
    document = _set(options) if options.verb == "set" else _show(options)
    if options.json:
        print_json(document)
    else:
        rows = [
            [name, _shown(value), localized(f"policy_{name}_meaning")] for name, value in document["policy"].items()
        ]
        print_table(rows, header=[localized(f"column_{name}") for name in ("name", "value", "meaning")], indent="")
    return 0


def _show(options: argparse.Namespace) -> dict[str, Any]:
    from connector.interfaces import approving

    return administer(
        lambda context: approving.show_policy(context, None, options.workspace),
        "GET",
        PATH,
        query={"workspace": options.workspace},
    )


def _set(options: argparse.Namespace) -> dict[str, Any]:
    from connector.interfaces import approving

    given = dict(_pair(text) for text in options.values)
    return administer(
        lambda context: approving.set_policy(context, None, given, options.workspace),
        "PUT",
        PATH,
        body=given,
        query={"workspace": options.workspace},
    )


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise InputError(say("argument_missing", names="NAME=VALUE"), field=text[:64])
    return name.strip(), value


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "–"
    return ", ".join(value) if isinstance(value, list) else format_value(value)
