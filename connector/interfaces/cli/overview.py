"""`kontor --help`: all commands, by what people want to do."""

from __future__ import annotations

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.commands import COMMANDS
from connector.interfaces.cli.language import tell
from connector.interfaces.cli.output import print_json, table
from connector.interfaces.cli.paint import paint


def show(*, asked: bool, as_json: bool) -> int:
    """Prints the overview. Shown without being asked for, it says that a command is missing."""
    if as_json and not asked:
        raise InputError(say("command_missing"), remedy=say("usage_remedy", command="kontor"), field="command")
    if as_json:
        print_json({"ok": True, "help": "\n".join(_lines())})
    else:
        print("\n".join(_lines()))
    return 0 if asked else InputError.exit_status


def _lines() -> list[str]:
    lines = [tell("help_kontor"), ""]
    rows = [[name, tell(f"command_{name}")] for names in COMMANDS.values() for name in names]
    shown = iter(table(rows))
    for group, names in COMMANDS.items():
        lines += [paint(tell(f"commands_{group}"), "bold"), *(next(shown) for _ in names), ""]
    return [*lines, tell("help_every_command"), "", tell("help_environment")]
