"""`kontor options LOOKUP`: what a dropdown would offer."""

from __future__ import annotations

import argparse

from connector.interfaces.cli.given import inputs_from, set_argument
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.progress import progress
from connector.interfaces.cli.session import opened
from connector.runtime.connector import Connector


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor options` understands."""
    parser.add_argument("lookup", metavar=tell("metavar_lookup"), help=tell("help_options_lookup"))
    set_argument(parser)
    parser.add_argument("--search", metavar="TEXT", help=tell("help_options_search"))


def run(options: argparse.Namespace) -> int:
    """Prints the options."""
    connector = Connector()
    lookup = connector.lookup(options.lookup)
    inputs = inputs_from(lookup.inputs, None, options.sets)
    with opened(connector) as (_, session), progress(lookup.title.in_(language()), 0):
        found = session.options(lookup.id, inputs, search=options.search)
    if options.json:
        print_json(found.as_dict())
        return 0
    header = [tell("column_value"), tell("column_label"), tell("column_hint")]
    rows = [[option.value, option.label, option.hint or ""] for option in found]
    print_table(rows, header=header if rows else (), indent="")
    print(paint(tell("rows", count=len(found)), "dim"))
    return 0
