"""`kontor --help`: lists all commands by group."""

from __future__ import annotations

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.colors import colored
from connector.interfaces.cli.command_names import COMMANDS
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json, table


def show(*, asked: bool, as_json: bool) -> int:
    """Print the overview; without `--help` this is a usage error."""
    if as_json and not asked:
        raise InputError(say("command_missing"), remedy=say("usage_remedy", command="kontor"), field="command")
    if as_json:
        print_json({"ok": True, "help": "\n".join(_lines())})
    else:
        print("\n".join(_lines()))
    return 0 if asked else InputError.exit_status


def _lines() -> list[str]:
    lines = [localized("help_kontor"), ""]
    rows = [[name, localized(f"command_{name}")] for names in COMMANDS.values() for name in names]
    shown = iter(table(rows))
    for group, names in COMMANDS.items():
        lines += [colored(localized(f"commands_{group}"), "bold"), *(next(shown) for _ in names), ""]
    return [*lines, localized("help_every_command"), "", localized("help_environment")]
