"""`kontor run ACTION`: runs one action, says what it costs, and shows what came of it."""

from __future__ import annotations

import argparse
import sys

from connector.core import localize
from connector.core.errors import KontorError, OutcomeUnknown
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.interfaces.cli.answer import print_output
from connector.interfaces.cli.failure import without_key
from connector.interfaces.cli.given import inputs_from, set_argument
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import harmless, pretty_json, print_json
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.progress import progress
from connector.interfaces.cli.session import opened, store_of
from connector.interfaces.cli.wording import cost_words, credit_words
from connector.runtime.connector import Connector
from connector.runtime.result import Result

LONGEST_TEXT = 200
"""A dry run shows no more of a text than this to people: a receipt image is a million characters of base64."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor run` understands."""
    parser.add_argument("action", metavar=tell("metavar_action"), help=tell("help_run_action"))
    parser.add_argument("--input", metavar="JSON|@" + tell("metavar_file"), help=tell("help_run_input"))
    set_argument(parser)
    parser.add_argument("--key", metavar=tell("metavar_key"), help=tell("help_run_key"))
    parser.add_argument("--dry-run", action="store_true", help=tell("help_run_dry"))


def run(options: argparse.Namespace) -> int:
    """Runs the action."""
    connector = Connector()
    action = connector.action(options.action)
    inputs = inputs_from(action.inputs, options.input, options.sets)
    with opened(connector) as (_, session):
        if not options.dry_run and (action.writes or action.cost.credits):
            store_of(connector)
        if not options.json and not options.dry_run:
            print(paint(_announced(action), "dim", sys.stderr), file=sys.stderr)
        try:
            with progress(action.title.in_(language()), action.typical):
                result = session.invoke(action.id, inputs, key=options.key, dry_run=options.dry_run)
        except KontorError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            if options.dry_run or not action.writes:
                raise
            # Whatever ended it, the request may have left by then: nobody may read this as "not done".
            raise OutcomeUnknown(say("unexpected_write", why=type(error).__name__)) from error
    if options.json:
        print_json(without_key(result.as_dict()) if options.dry_run else result.as_dict())
    elif options.dry_run:
        _print_request(result)
    else:
        print_output(action, result.output)
        _print_credits(result, options.key)
    return 0


def _announced(action: Action) -> str:
    words = tell("run_costs", title=action.title, cost=cost_words(action.raw["cost"]))
    return f"{words} {action.cost.note.in_(language())}" if action.cost.note else words


def _print_request(result: Result) -> None:
    request = without_key(result.output)
    print(f"{paint(request['method'], 'bold')} {request['url']}")
    for name, value in request["headers"].items():
        print(f"{name}: {value}")
    if request["body"] is not None:
        print("\n" + pretty_json(_shortened(request["body"])))
    print("\n" + tell("dry_run_done", cost=credit_words(result.credits.cost)))


def _shortened(value: object) -> object:
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return tell("shortened", begin=value[:40], length=len(value))
    return value


def _print_credits(result: Result, key: str | None) -> None:
    if result.replayed:
        print(harmless(tell("run_replayed", key=key)))
    cost, balance = credit_words(result.credits.cost), result.credits.balance
    if balance is None:
        print(paint(tell("run_cost", cost=cost), "dim"))
    else:
        print(paint(tell("run_cost_balance", cost=cost, balance=localize.number(balance, language())), "dim"))
