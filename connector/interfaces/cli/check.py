"""`kontor check FILE|DIR`: reports the problems of manifests with their location."""

from __future__ import annotations

import argparse
from pathlib import Path

from connector.core.errors import InputError
from connector.core.manifest.files import FOLDER, KINDS
from connector.core.manifest.load import library, load
from connector.core.messages import say
from connector.interfaces.cli.colors import colored
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor check`."""
    parser.add_argument(
        "path", type=Path, metavar=localized("metavar_file_or_folder"), help=localized("help_check_path")
    )


def run(options: argparse.Namespace) -> int:
    """Print all problems; exit status 2 if there are any."""
    from connector.core.manifest.check import examine

    path: Path = options.path.resolve()
    if not path.exists():
        raise InputError(say("check_nothing_there", path=options.path), field="path")
    folder = path if path.is_dir() else _folder_of(path)
    own = None if folder == Path(FOLDER) else {**load(), **library()}
    found, problems = examine(str(folder), own, None if path.is_dir() else str(path))
    count = 1 if path.is_file() else sum(len(found.get(kind, {})) for kind in KINDS)
    if options.json:
        documents = [problem.as_dict(language()) for problem in problems]
        print_json({"ok": not problems, "checked": count, "problems": documents})
    elif problems:
        for problem in problems:
            location = f"{problem.file}:{problem.line}"
            print(f"{colored(location, 'bold')}: {problem.where}: {problem.message.in_(language())}")
    else:
        print(localized("check_fine", count=count))
    return InputError.exit_status if problems else 0


def _folder_of(file: Path) -> Path:
    """Return the manifest folder of a file: the parent of `actions`, `lookups` or `triggers`."""
    parent_folder = next((parent for parent in file.parents if parent.name in KINDS), None)
    if parent_folder is None:
        raise InputError(say("check_not_in_a_folder", path=file, kinds=", ".join(KINDS)), field="path")
    return parent_folder.parent
