"""`kontor check FILE|DIR [--cases]`: reports the problems of manifests with their location, and cases that fail."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from connector.core.errors import InputError
from connector.core.manifest.files import FOLDER, KINDS
from connector.core.manifest.load import library, load
from connector.core.messages import say
from connector.interfaces.cli.colors import colored
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from connector.testing.cases import RunnableCase


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor check`."""
    parser.add_argument(
        "path", type=Path, metavar=localized("metavar_file_or_folder"), help=localized("help_check_path")
    )
    parser.add_argument(
        "--cases",
        type=Path,
        nargs="?",
        const=Path(),
        metavar=localized("metavar_folder"),
        help=localized("help_check_cases"),
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
    cases = [] if problems or options.cases is None else _cases(folder, path, options.cases)
    failed = [(case, difference) for case in cases for difference in case.differences()]
    if options.json:
        documents = [problem.as_dict(language()) for problem in problems]
        documents += [{"file": str(case.file), "case": case.case.key, "message": why} for case, why in failed]
        ran = {} if options.cases is None else {"cases": len(cases)}
        print_json({"ok": not documents, "checked": count, **ran, "problems": documents})
    else:
        for problem in problems:
            location = f"{problem.file}:{problem.line}"
            print(f"{colored(location, 'bold')}: {problem.where}: {problem.message.in_(language())}")
        for case, why in failed:
            print(f"{colored(str(case.file), 'bold')}: {case.case.section}: {case.case.name}: {why}")
        if not problems:
            print(localized("check_fine", count=count))
            if options.cases is not None:
                wrong = len({str(case) for case, _ in failed})
                print(localized("check_cases", passed=len(cases) - wrong, failed=wrong))
    return InputError.exit_status if problems or failed else 0


def _cases(folder: Path, path: Path, given: Path) -> list[RunnableCase]:
    """Return the cases of these manifests: from the folder that is given, else from where `kontor new` writes them."""
    from connector.testing.cases import all_in

    usual = (folder / "cases", folder.parent / "tests" / "cases")
    home = given if given != Path() else next((one for one in usual if one.is_dir()), None)
    if home is None or not home.is_dir():
        raise InputError(
            say("check_no_cases", folders=", ".join(map(str, usual if home is None else [home]))), field="--cases"
        )
    try:
        found = all_in(folder, home)
    except ValueError as error:
        raise InputError(say("check_cases_unreadable", why=str(error)), field="--cases") from None
    return [case for case in found if path.is_dir() or case.case.manifest == path.stem]


def _folder_of(file: Path) -> Path:
    """Return the manifest folder of a file: the parent of `actions`, `lookups` or `triggers`."""
    parent_folder = next((parent for parent in file.parents if parent.name in KINDS), None)
    if parent_folder is None:
        raise InputError(say("check_not_in_a_folder", path=file, kinds=", ".join(KINDS)), field="path")
    return parent_folder.parent
