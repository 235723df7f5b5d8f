"""`kontor check FILE|DIR`: what is wrong with manifests, where, and what was meant."""

from __future__ import annotations

import argparse
from pathlib import Path

from connector.core.errors import InputError
from connector.core.manifest.files import FOLDER, KINDS
from connector.core.manifest.load import library, load
from connector.core.messages import say
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.paint import paint


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor check` understands."""
    parser.add_argument("path", type=Path, metavar=tell("metavar_file_or_folder"), help=tell("help_check_path"))


def run(options: argparse.Namespace) -> int:
    """Prints every problem; exit status 2 when there is one."""
    from connector.core.manifest.check import examine

    path: Path = options.path.resolve()
    if not path.exists():
        raise InputError(say("check_nothing_there", path=options.path), field="path")
    folder = path if path.is_dir() else _folder_of(path)
    own = None if folder == Path(FOLDER) else {**load(), **library()}
    found, problems = examine(str(folder), own, None if path.is_dir() else str(path))
    count = 1 if path.is_file() else sum(len(found.get(kind, {})) for kind in KINDS)
    if options.json:
        shown = [problem.as_dict(language()) for problem in problems]
        print_json({"ok": not problems, "checked": count, "problems": shown})
    elif problems:
        for problem in problems:
            place = f"{problem.file}:{problem.line}"
            print(f"{paint(place, 'bold')}: {problem.where}: {problem.message.in_(language())}")
    else:
        print(tell("check_fine", count=count))
    return InputError.exit_status if problems else 0


def _folder_of(file: Path) -> Path:
    """The folder of manifests that a file belongs to: the one above `actions`, `lookups` or `triggers`."""
    above = next((parent for parent in file.parents if parent.name in KINDS), None)
    if above is None:
        raise InputError(say("check_not_in_a_folder", path=file, kinds=", ".join(KINDS)), field="path")
    return above.parent
