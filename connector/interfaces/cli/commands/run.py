"""`kontor run ACTION` and `kontor options LOOKUP`: runs an action, and lists the options of a form field."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from decimal import Decimal
from typing import TYPE_CHECKING

from connector.core.callers import Invoker, current_source
from connector.core.data import localize
from connector.core.errors import KontorError, NotFound, OutcomeUnknown
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.interfaces.cli.failure import redact_key
from connector.interfaces.cli.inputs_from_args import inputs_from, set_argument
from connector.interfaces.cli.language import colored, cost_text, credits_text, language, localized
from connector.interfaces.cli.output import must_arrive, pretty_json, print_json, print_table, printable, progress
from connector.interfaces.cli.result_output import print_output
from connector.interfaces.cli.session import open_session, open_store
from connector.runtime.connector import Connector
from connector.runtime.result import Credits, Result

if TYPE_CHECKING:
    from connector.runtime.session import Session

WAITING = 7
"""The exit status of a write that waits for approval."""
MAX_TEXT_LENGTH = 200
"""Longer texts are shortened in a dry run: a receipt image is a million characters of base64."""


def run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor run`."""
    parser.add_argument("action", metavar=localized("metavar_action"), help=localized("help_run_action"))
    parser.add_argument("--input", metavar="JSON|@" + localized("metavar_file"), help=localized("help_run_input"))
    set_argument(parser)
    parser.add_argument("--key", metavar=localized("metavar_key"), help=localized("help_run_key"))
    parser.add_argument("--dry-run", action="store_true", help=localized("help_run_dry"))
    parser.add_argument("--again", action="store_true", help=localized("help_run_again"))


def run_command(options: argparse.Namespace) -> int:
    """Run the action."""
    connector = Connector()
    action = connector.action(options.action)
    inputs = inputs_from(action.inputs, options.input, options.sets)
    with _keep_telling() as keep_telling, open_session(connector) as (_, session):
        if not options.dry_run and (action.writes or action.cost.credits):
            open_store(connector)
        if not options.json and not options.dry_run:
            print(colored(_cost_notice(action), "dim", sys.stderr), file=sys.stderr)
        try:
            with progress(action.title.in_(language()), action.typical):
                result = session.invoke(
                    action.id,
                    inputs,
                    key=options.key,
                    dry_run=options.dry_run,
                    again=options.again,
                    invoker=Invoker("cli", current_source().origin),
                )
            if action.writes and not options.dry_run:
                keep_telling()
        except KontorError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            if options.dry_run or not action.writes:
                raise
            keep_telling()
            result = _after_giving_up(session, action, options.key, error)
        if result.expires_at is not None:
            return _print_waiting(result, as_json=options.json)
        done = action.writes and not options.dry_run
        with must_arrive(localized("run_output_lost", run=result.run)) if done else nullcontext():
            if options.json:
                document = result.as_dict(language())
                print_json(redact_key(document) if options.dry_run else document)
            elif options.dry_run:
                _print_request(result)
                _print_warnings(result)
            else:
                print_output(action, result.output, connector.library)
                _print_warnings(result)
                _print_credits(result, options.key)
        return 0


@contextmanager
def _keep_telling() -> Iterator[Callable[[], object]]:
    """Give a function after which Ctrl-C is ignored: what became of a write is told, whatever is pressed by then."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears of it
        yield lambda: None
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    finally:
        signal.signal(signal.SIGINT, before)


class GivenUp(KontorError):
    """The caller has pressed Ctrl-C before anything was sent."""

    exit_status = 130
    default_outcome = "not_sent"


def _after_giving_up(session: Session, action: Action, key: str | None, error: BaseException) -> Result:
    """Return or raise what is known of a write that was interrupted: its run says how far it got."""
    from connector.runtime.writes.attempt import stored_error, stored_warnings
    from connector.runtime.writes.write import RUN_NOTE

    named = [note.removeprefix(RUN_NOTE) for note in getattr(error, "__notes__", ()) if note.startswith(RUN_NOTE)]
    unknown = OutcomeUnknown(say("unexpected_write", why=type(error).__name__))
    try:
        run = session.find_run(key or named[0])
    except NotFound:
        raise GivenUp(say("abandoned"), remedy=say("abandoned_remedy")) from error
    except Exception:
        raise unknown from error
    outcome = run.outcome if isinstance(run.outcome, dict) else {}
    if run.state == "done":
        cost = Credits(Decimal(outcome.get("cost") or 0), None)
        return Result(action.id, outcome.get("output"), cost, run=run.id, warnings=stored_warnings(outcome))
    if run.state == "claimed" or outcome.get("outcome") == "not_sent":
        raise GivenUp(say("abandoned"), remedy=say("abandoned_remedy")) from error
    if run.state == "refused":
        raise stored_error(outcome) from error
    raise unknown from error


def _print_waiting(result: Result, *, as_json: bool) -> int:
    """Say that the write waits for approval; return the exit status that says so too."""
    assert result.expires_at is not None
    if as_json:
        print_json(result.as_dict(language()))
    else:
        until = localize.date_time(result.expires_at, language())
        print(localized("approval_waits", until=until, run=result.run))
        _print_warnings(result)
    return WAITING


def _cost_notice(action: Action) -> str:
    words = localized("run_costs", title=action.title, cost=cost_text(action.raw["cost"]))
    return f"{words} {action.cost.note.in_(language())}" if action.cost.note else words


def _print_request(result: Result) -> None:
    request = redact_key(result.output)
    print(f"{colored(request['method'], 'bold')} {request['url']}")
    for name, value in request["headers"].items():
        print(f"{name}: {value}")
    if request["body"] is not None:
        print("\n" + pretty_json(_shortened(request["body"])))
    print("\n" + localized("dry_run_done", cost=credits_text(result.credits.cost)))


def _shortened(value: object) -> object:
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, str) and len(value) > MAX_TEXT_LENGTH:
        return localized("shortened", begin=value[:40], length=len(value))
    return value


def _print_warnings(result: Result) -> None:
    for warning in result.warnings:
        print(colored(printable(warning.in_(language())), "yellow"))


def _print_credits(result: Result, key: str | None) -> None:
    if result.replayed:
        print(printable(localized("run_replayed", key=key)))
    cost, balance = credits_text(result.credits.cost), result.credits.balance
    if balance is None:
        print(colored(localized("run_cost", cost=cost), "dim"))
    else:
        print(colored(localized("run_cost_balance", cost=cost, balance=localize.number(balance, language())), "dim"))


def options_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor options`."""
    parser.add_argument("lookup", metavar=localized("metavar_lookup"), help=localized("help_options_lookup"))
    set_argument(parser)
    parser.add_argument("--search", metavar="TEXT", help=localized("help_options_search"))
    parser.add_argument("--limit", metavar="N", help=localized("help_options_limit"))
    parser.add_argument("--after", metavar="VALUE", help=localized("help_options_after"))


def options_command(options: argparse.Namespace) -> int:
    """Print the options."""
    connector = Connector()
    lookup = connector.lookup(options.lookup)
    inputs = inputs_from(lookup.inputs, None, options.sets)
    with open_session(connector) as (_, session), progress(lookup.title.in_(language()), 0):
        limit = int(options.limit) if (options.limit or "").isdecimal() else options.limit
        page = session.options(lookup.id, inputs, options.search, language(), limit, options.after)
    if options.json:
        print_json(page.as_dict())
        return 0
    header = [localized("column_value"), localized("column_label"), localized("column_hint")]
    rows = [[option.value, option.label, option.hint or ""] for option in page]
    print_table(rows, header=header if rows else (), indent="")
    print(colored(localized("rows", count=len(page)), "dim"))
    if page.next is not None:
        print(colored(localized("options_more", value=page.next), "dim"))
    return 0
