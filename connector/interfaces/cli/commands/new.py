"""`kontor new` and `kontor check`: creates the files of an action, trigger or lookup, and reports what is wrong.

The templates are valid and read a free list of their area, so that the result can be tried at once.
"""

from __future__ import annotations

import argparse
import keyword
import os
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Literal, NamedTuple

from connector.core import compiled
from connector.core.errors import InputError
from connector.core.manifest.files import AREAS, FOLDER, KINDS
from connector.core.manifest.load import VARIABLE, library, load
from connector.core.manifest.model import NOTHING_AROUND
from connector.core.messages import say
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from connector.testing.cases import RunnableCase
Kind = Literal["action", "trigger", "lookup"]
ID = re.compile(r"[a-z][a-z0-9_]{2,47}")
SHIPPED = Path(FOLDER)
TEMPLATES = SHIPPED / "new"
USUAL_AREA = "banking"


def new_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor new`."""
    parser.add_argument("kind", choices=["action", "trigger", "lookup"], help=localized("help_new_kind"))
    parser.add_argument("id", metavar="ID", help=localized("help_new_id"))
    parser.add_argument("--area", choices=AREAS, default="any", help=localized("help_new_area"))
    parser.add_argument("--into", type=Path, metavar=localized("metavar_folder"), help=localized("help_new_into"))


def new_command(options: argparse.Namespace) -> int:
    """Write the files."""
    place = Place.usual() if options.into is None else Place.below(options.into.resolve())
    files = [str(path) for path in write(options.kind, options.id, options.area, place)]
    if options.json:
        print_json({"ok": True, "kind": options.kind, "id": options.id, "area": options.area, "files": files})
        return 0
    print(localized("new_written"))
    for name in files:
        print(f"  {colored(name, 'green')}")
    print("\n" + localized("new_next", id=options.id, manifest=files[0]))
    return 0


class Place(NamedTuple):
    """Where new files go."""

    manifests: Path
    cases: Path
    handlers: Path

    @classmethod
    def below(cls, folder: Path) -> Place:
        """Return the place in a project, or in a checkout of Kontor."""
        return cls(folder / "manifests", folder / "tests" / "cases", folder)

    @classmethod
    def usual(cls) -> Place:
        """Return the place in the folder that `KONTOR_MANIFESTS` names, else in the working folder."""
        own = os.environ.get(VARIABLE)
        if not own:
            return cls.below(Path.cwd())
        folder = Path(own).resolve()
        return cls(folder, folder / "cases", folder / "handlers")


def write(kind: Kind, id: str, area: str, place: Place) -> list[Path]:
    """Write manifest, cases and handler of a new action, trigger or lookup; never overwrite a file."""
    if not ID.fullmatch(id) or keyword.iskeyword(id):
        raise InputError(say("new_id_invalid", id=id[:80]), remedy=say("new_id_remedy"), field="id")
    files = _files(kind, id, area, place)
    folders = (place.manifests, SHIPPED)
    taken = next((path for folder in folders for path in (folder / f"{kind}s").rglob(f"{id}.yaml")), None)
    home = None if kind == "lookup" else place.handlers / f"{kind}s" / area / f"{id}.py"
    taken = taken or next((path for path in (*files, home) if path and path.exists()), None)
    if taken is not None:
        message = say("new_id_taken", id=id, path=taken)
        raise InputError(message, remedy=say("new_id_taken_remedy"), field="id")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if home is not None:
            home.parent.mkdir(parents=True, exist_ok=True)
            home.write_text(_handler(kind, id, place), encoding="utf-8")
    except OSError as error:
        message = say("new_unwritable", root=place.manifests, why=error.strerror or str(error))
        raise InputError(message, remedy=say("new_unwritable_remedy")) from None
    return [*files, *([home] if home else [])]


def _files(kind: Kind, id: str, area: str, place: Place) -> Mapping[Path, str]:
    listed = compiled.read_yaml(str(TEMPLATES / "areas.yaml"))
    parts = listed.get(area, listed[USUAL_AREA])
    row = f'{{id: "{parts["id"]}", {parts["named"]}: {parts["name"]}}}'
    rows = {"reply": row, "reply_of_two": f'{row}, {{id: "8102"}}'}
    replies = {
        name: f"[{text}]" if parts["around"] == NOTHING_AROUND else f"{{{parts['around']}: [{text}]}}"
        for name, text in rows.items()
    }

    def fill_template(name: str) -> str:
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        return Template(text).substitute({**parts, **replies, "example": parts["id"], "id": id, "area": area})

    folder = place.manifests / "lookups" if kind == "lookup" else place.manifests / f"{kind}s" / area
    return {
        folder / f"{id}.yaml": fill_template(f"{kind}.yaml"),
        place.cases / f"{id}.yaml": fill_template(f"{kind}.cases.yaml"),
    }


def _handler(kind: Kind, id: str, place: Place) -> str:
    """Return the typed Python face of the manifest that was just written."""
    from connector.export.handlers.python_handlers import GENERATED, ROOT, handler
    from connector.runtime.requests.catalog import Catalog

    catalog = Catalog(str(place.manifests))
    text = handler(catalog.action(id) if kind == "action" else catalog.trigger(id), catalog)
    return text if place.handlers == ROOT else text.removeprefix(GENERATED)


def check_arguments(parser: argparse.ArgumentParser) -> None:
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


def check_command(options: argparse.Namespace) -> int:
    """Print all problems; exit status 2 if there are any."""
    from connector.core.manifest.check import examine

    path: Path = options.path.resolve()
    if not path.exists():
        raise InputError(say("check_nothing_there", path=options.path), field="path")
    folder = path if path.is_dir() else _folder_of(path)
    own = None if folder == Path(FOLDER) else {**load(), **library()}
    manifests, problems = examine(str(folder), own, None if path.is_dir() else str(path))
    count = 1 if path.is_file() else sum(len(manifests.get(kind, {})) for kind in KINDS)
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
    home = given if given != Path() else next((folder for folder in usual if folder.is_dir()), None)
    if home is None or not home.is_dir():
        raise InputError(
            say("check_no_cases", folders=", ".join(map(str, usual if home is None else [home]))), field="--cases"
        )
    try:
        cases = all_in(folder, home)
    except ValueError as error:
        raise InputError(say("check_cases_unreadable", why=str(error)), field="--cases") from None
    return [case for case in cases if path.is_dir() or case.case.manifest == path.stem]


def _folder_of(file: Path) -> Path:
    """Return the manifest folder of a file: the parent of `actions`, `lookups` or `triggers`."""
    parent_folder = next((parent for parent in file.parents if parent.name in KINDS), None)
    if parent_folder is None:
        raise InputError(say("check_not_in_a_folder", path=file, kinds=", ".join(KINDS)), field="path")
    return parent_folder.parent
