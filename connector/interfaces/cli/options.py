"""`kontor options LOOKUP`: prints the options of a lookup."""

from __future__ import annotations

import argparse

from connector.interfaces.cli.colors import colored
from connector.interfaces.cli.inputs_from_args import inputs_from, set_argument
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.progress import progress
from connector.interfaces.cli.session import open_session
from connector.runtime.connector import Connector


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor options`."""
    parser.add_argument("lookup", metavar=localized("metavar_lookup"), help=localized("help_options_lookup"))
    set_argument(parser)
    parser.add_argument("--search", metavar="TEXT", help=localized("help_options_search"))
    parser.add_argument("--limit", metavar="N", help=localized("help_options_limit"))
    parser.add_argument("--after", metavar="VALUE", help=localized("help_options_after"))


def run(options: argparse.Namespace) -> int:
    """Print the options."""
    connector = Connector()
    lookup = connector.lookup(options.lookup)
    inputs = inputs_from(lookup.inputs, None, options.sets)
    with open_session(connector) as (_, session), progress(lookup.title.in_(language()), 0):
        limit = int(options.limit) if (options.limit or "").isdecimal() else options.limit
        found = session.options(lookup.id, inputs, options.search, language(), limit, options.after)
    if options.json:
        print_json(found.as_dict())
        return 0
    header = [localized("column_value"), localized("column_label"), localized("column_hint")]
    rows = [[option.value, option.label, option.hint or ""] for option in found]
    print_table(rows, header=header if rows else (), indent="")
    print(colored(localized("rows", count=len(found)), "dim"))
    if found.next is not None:
        print(colored(localized("options_more", value=found.next), "dim"))
    return 0
