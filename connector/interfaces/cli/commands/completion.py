"""`kontor completion`: scripts that let bash, zsh and fish complete commands, ids, inputs and their values.

A script passes the words typed so far back to `kontor completion words`, so it needs no change with the manifests.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from connector.core.manifest.files import KINDS
from connector.core.manifest.load import load
from connector.interfaces.cli.commands import COMMANDS
from connector.interfaces.cli.language import in_user_language, localized
from connector.interfaces.cli.output import print_json

Tree = Mapping[str, Any]
Candidate = tuple[str, str]
"""A word and what it means."""
SCRIPTS = {
    # Bash breaks words at "=" and ":", so it is given only what follows the last of them.
    "bash": r"""_kontor() {
    local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=($(kontor completion words -- "$line" 2>/dev/null | cut -f1))
    local word=${line##*[[:space:]]}
    case $word in *[=:]*) COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}") ;; esac
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o bashdefault -o default -F _kontor kontor
""",
    "zsh": r"""#compdef kontor
_kontor() {
    local -a open done
    local word meaning
    while IFS=$'\t' read -r word meaning; do
        if [[ $word == *= ]]; then open+=("${word//:/\\:}:$meaning"); else done+=("${word//:/\\:}:$meaning"); fi
    done < <(kontor completion words -- "${LBUFFER}" 2>/dev/null)
    _describe kontor done -- open -S ''
    (( ${#open} + ${#done} )) || _files
}
compdef _kontor kontor
""",
    "fish": r"""complete -c kontor -f -a '(kontor completion words -- (commandline -cp) 2>/dev/null)'
""",
}
IDS = {"action": "actions", "trigger": "triggers", "lookup": "lookups"}
"""The arguments that are ids, and of which kind of manifest."""
OF_A_MANIFEST = {"run": "actions", "poll": "triggers", "options": "lookups", "watch": "triggers"}


def completion_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor completion`."""
    parser.add_argument("shell", choices=[*SCRIPTS, "words"], metavar="|".join(SCRIPTS), help=localized("help_shell"))
    parser.add_argument("line", nargs="?", default="", metavar="LINE", help=localized("help_completion_line"))


def completion_command(options: argparse.Namespace) -> int:
    """Print the script, or what can follow the line that was typed."""
    if options.shell != "words":
        script = SCRIPTS[options.shell]
        print_json({"ok": True, "script": script}) if options.json else print(script, end="")
        return 0
    candidates = sorted(set(candidates_for(options.line)))
    if options.json:
        print_json({"ok": True, "words": [word for word, _ in candidates]})
    else:
        print("".join(f"{word}\t{meaning}\n" for word, meaning in candidates), end="")
    return 0


def candidates_for(line: str) -> Iterator[Candidate]:
    """Everything that can stand where the line ends."""
    before, word = _words(line)
    for candidate, meaning in _candidates(before[1:], word):
        if candidate.startswith(word):
            yield candidate, " ".join(meaning.split())


def _words(line: str) -> tuple[list[str], str]:
    """The finished words of a line, and the one that is being typed; an open quotation ends with the line."""
    words = line.replace('"', "").replace("'", "").split()
    return (words, "") if not words or line[-1].isspace() else (words[:-1], words[-1])


def _candidates(before: Sequence[str], word: str) -> Iterable[Candidate]:
    if not before:
        return [(name, localized(f"command_{name}")) for names in COMMANDS.values() for name in names]
    command, *given = before
    parser = _parser_of(command)
    if parser is None:
        return []
    if given and given[-1] == "--set":
        return _inputs(command, given, word)
    option = next((action for action in parser._actions if given and given[-1] in action.option_strings), None)
    if option is not None and option.nargs != 0:
        return [(str(choice), "") for choice in option.choices or ()]
    if word.startswith("-"):
        return [
            (name, action.help or "")
            for action in parser._actions
            for name in action.option_strings
            if name.startswith("--")
        ]
    return _positional(parser, command, given)


def _parser_of(command: str) -> argparse.ArgumentParser | None:
    from connector.interfaces.cli.dispatch import NAMES, command_parser

    return command_parser(command, as_json=False) if command in NAMES else None


def _positional(parser: argparse.ArgumentParser, command: str, given: Sequence[str]) -> Iterator[Candidate]:
    """What the next argument without a dash can be."""
    options = {name: action for action in parser._actions for name in action.option_strings}
    taken, skip = 0, False
    for argument in given:
        if skip:
            skip = False
        elif argument in options:
            skip = options[argument].nargs != 0
        else:
            taken += 1
    positionals = [action for action in parser._actions if not action.option_strings]
    if taken >= len(positionals):
        return
    argument_ = positionals[taken]
    yield from ((str(choice), "") for choice in argument_.choices or ())
    kinds = KINDS if command == "describe" else [IDS[argument_.dest]] if argument_.dest in IDS else []
    for kind in kinds:
        yield from ((id, in_user_language(tree["title"])) for id, tree in load()[kind].items())


def _inputs(command: str, given: Sequence[str], word: str) -> Iterator[Candidate]:
    """The inputs of the manifest that was named, and after `name=` the values that are to choose from."""
    trees = load()[OF_A_MANIFEST[command]] if command in OF_A_MANIFEST else {}
    tree = next((trees[argument] for argument in given if argument in trees), None)
    if tree is None:
        return
    name, equals, _ = word.partition("=")
    for field in tree["inputs"]:
        if not equals:
            yield f"{field['name']}=", in_user_language(field["label"])
        elif field["name"] == name:
            choices = ["true", "false"] if field["type"] == "boolean" else field.get("values", [])
            yield from (_choice(name, choice) for choice in choices)


def _choice(name: str, choice: Any) -> Candidate:
    if isinstance(choice, Mapping):
        return f"{name}={choice['value']}", in_user_language(choice["label"])
    return f"{name}={choice}", ""
