"""`kontor --help`: lists all commands by group. `kontor help environment`: lists all environment variables."""

from __future__ import annotations

from textwrap import indent, wrap

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.service.environment import GROUPS, VARIABLES, Variable
from connector.interfaces.cli.commands import COMMANDS
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json, table, terminal_width

MAX_WIDTH = 100


def show(environment: bool = False, *, asked: bool, as_json: bool) -> int:
    """Print the overview, or all environment variables; without `--help` this is a usage error."""
    if as_json and not asked:
        raise InputError(say("command_missing"), remedy=say("usage_remedy", command="kontor"), field="command")
    lines = _variables() if environment else _lines()
    if as_json:
        variables = (
            {"variables": [variable.as_dict(language()) for variable in VARIABLES.values()]} if environment else {}
        )
        print_json({"ok": True, "help": "\n".join(lines), **variables})
    else:
        print("\n".join(lines))
    return 0 if asked else InputError.exit_status


def _lines() -> list[str]:
    lines = [localized("help_kontor"), ""]
    rows = [[name, localized(f"command_{name}")] for names in COMMANDS.values() for name in names]
    shown = iter(table(rows))
    for group, names in COMMANDS.items():
        lines += [colored(localized(f"commands_{group}"), "bold"), *(next(shown) for _ in names), ""]
    return [*lines, localized("help_every_command"), "", localized("help_environment"), localized("help_variables")]


def _variables() -> list[str]:
    lines = []
    for group in GROUPS:
        lines += [colored(localized(f"variables_{group}"), "bold")]
        lines += [
            line for variable in VARIABLES.values() if variable.group == group for line in _variable(variable)
        ] + [""]
    return lines[:-1]


def _variable(variable: Variable) -> list[str]:
    notes = [localized("variable_default", default=variable.default)] if variable.default else []
    notes += [localized("variable_secret")] if variable.secret else []
    width = min(terminal_width() or MAX_WIDTH, MAX_WIDTH)
    text = "\n".join(wrap(str(variable.meaning), width - 6, break_on_hyphens=False))
    return ["  " + variable.name + (f"  ({', '.join(notes)})" if notes else ""), indent(text, "      ")]
