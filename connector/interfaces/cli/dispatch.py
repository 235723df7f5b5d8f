"""Parses the command line, runs the command, and converts errors to messages and exit statuses."""

from __future__ import annotations

import argparse
import errno
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from connector.core.callers import CallSource, set_source
from connector.core.errors import InputError
from connector.core.messages import Text, quote, say
from connector.interfaces.cli.commands import COMMANDS, LISTS, MODULES
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import OutputLost, print_json

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NAMES = tuple(name for group in COMMANDS.values() for name in group)

REASONS = {
    r"invalid (int|float) value: (?P<given>.*)": "argument_no_number",
    r"invalid \w+ value: (?P<given>.*)": "argument_unreadable",
    r"expected (one|at least one|\d+) arguments?": "argument_needs_value",
    r"expected at most one argument": "argument_has_two_values",
    r"invalid choice: (?P<given>.*) \(choose from (?P<choices>.*)\)": "argument_not_a_choice",
    r"not allowed with argument (?P<other>.*)": "argument_excludes",
    r"ignored explicit argument (?P<given>.*)": "argument_takes_no_value",
}
"""What argparse says of an argument, and our sentence for it."""


class HelpShown(Exception):
    """Raised after the help was printed, to end the command."""


def run(args: Sequence[str], *, as_json: bool) -> int:
    """Parse `args`, import the command's module and call it."""
    args = [arg.encode(errors="surrogateescape").decode(errors="replace") for arg in args]  # undecodable bytes
    try:
        if not args or args[0] in {"-h", "--help", "help"}:
            from connector.interfaces.cli.overview import show

            return show(args[1:2] == ["environment"], asked=bool(args), as_json=as_json)
        options = command_parser(args[0], as_json=as_json).parse_args(args[1:])
        options.json = as_json
        if args[0] in LISTS:
            from connector.interfaces.cli.lists import show as show_list

            return show_list(args[0], as_json=as_json, search=options.search)
        set_source(CallSource("cli", _user_and_machine()))
        status: int = _function(args[0], "command")(options)
        return status
    except HelpShown:
        return 0
    except (BrokenPipeError, OutputLost):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise  # what is said of it now could not be written either
        from connector.interfaces.cli.failure import handle_error

        return handle_error(error, as_json=as_json)


def _user_and_machine() -> str:
    """Return who uses the command line, for the audit log."""
    import getpass
    import platform

    try:
        return f"{getpass.getuser()}@{platform.node()}"
    except (OSError, KeyError):  # a container whose user has no name
        return platform.node()


class Parser(argparse.ArgumentParser):
    """An argument parser with localized help that raises InputError."""

    def __init__(self, *, as_json: bool = False, **settings: Any) -> None:
        super().__init__(**settings, add_help=False, allow_abbrev=False, formatter_class=_Formatter)
        self._as_json = as_json
        self._positionals.title, self._optionals.title = localized("help_arguments"), localized("help_options")
        self.add_argument("-h", "--help", action="help", help=localized("help_help"))
        self.add_argument("--json", action="store_true", help=localized("help_json"))

    def print_help(self, file: Any = None) -> None:
        """Print the help; with `--json` as a JSON document."""
        if self._as_json:
            print_json({"ok": True, "help": self.format_help()})
        else:
            super().print_help(file)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the command instead of the process."""
        raise HelpShown

    def error(self, message: str) -> NoReturn:
        """Raise a usage error as InputError."""
        text, field = _explain(message)
        raise InputError(text, remedy=say("usage_remedy", command=self.prog), field=field)


class _Formatter(argparse.HelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, localized("help_usage") + " ")


def command_parser(name: str, *, as_json: bool) -> Parser:
    """Return the parser of a command's arguments; raise `InputError` where there is no such command."""
    if name not in NAMES:
        from difflib import get_close_matches

        close = get_close_matches(name, NAMES, n=1)
        remedy = say("did_you_mean", close=f"kontor {close[0]}") if close else say("usage_remedy", command="kontor")
        raise InputError(say("command_unknown", name=name), remedy=remedy, field="command")
    parser = Parser(prog=f"kontor {name}", description=localized(f"command_{name}"), as_json=as_json)
    if name in LISTS:
        parser.add_argument("--search", default="", metavar="TEXT", help=localized("help_list_search"))
    else:
        _function(name, "arguments")(parser)
    return parser


def _function(command: str, part: str) -> Any:
    """Return one of the two functions that a command is."""
    module = import_module(f"connector.interfaces.cli.commands.{MODULES.get(command, command)}")
    return getattr(module, f"{command}_{part}")


def _explain(message: str) -> tuple[Text, str | None]:
    """Translate argparse's English message; return it with the argument's name."""
    before, _, names = message.partition(": ")
    if before == "the following arguments are required":
        return say("argument_missing", names=names), names.split(", ")[0]
    if before == "unrecognized arguments":
        return say("argument_unknown", names=names), names.split(" ")[0]
    if before.startswith("argument "):
        name = before.removeprefix("argument ")
        return _reason(names), name
    return quote(message), None


def _reason(message: str) -> Text:
    """Translate what argparse says of one argument; what is not known here stays as it is."""
    for pattern, name in REASONS.items():
        found = re.fullmatch(pattern, message)
        if found:
            return say(name, **found.groupdict())
    return quote(message)
