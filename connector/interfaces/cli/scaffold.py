"""Creates the files of a new action, trigger or lookup from templates.

The templates are valid and read a free list of the service, so that the result can be tried at once.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from connector.core.errors import InputError
from connector.core.manifest.files import FOLDER
from connector.core.manifest.load import VARIABLE
from connector.core.messages import say

Kind = Literal["action", "trigger", "lookup"]

ID = re.compile(r"[a-z][a-z0-9_]{2,47}")
SHIPPED = Path(FOLDER)
TEMPLATES = SHIPPED / "new"


class Place(NamedTuple):
    """Where new files go."""

    manifests: Path
    cases: Path

    @classmethod
    def below(cls, folder: Path) -> Place:
        """Return the place in a project, or in a checkout of Kontor."""
        return cls(folder / "manifests", folder / "tests" / "cases")

    @classmethod
    def usual(cls) -> Place:
        """Return the place in the folder that `KONTOR_MANIFESTS` names, else in the working folder."""
        own = os.environ.get(VARIABLE)
        return cls(Path(own).resolve(), Path(own).resolve() / "cases") if own else cls.below(Path.cwd())


def write(kind: Kind, id: str, area: str, place: Place) -> list[Path]:
    """Write manifest and cases of a new action, trigger or lookup; never overwrite a file."""
    if not ID.fullmatch(id) or keyword.iskeyword(id):
        raise InputError(say("new_id_invalid", id=id[:80]), remedy=say("new_id_remedy"), field="id")
    files = _files(kind, id, area, place)
    folders = (place.manifests, SHIPPED)
    taken = next((path for folder in folders for path in (folder / f"{kind}s").rglob(f"{id}.yaml")), None)
    taken = taken or next((path for path in files if path.exists()), None)
    if taken is not None:
        message = say("new_id_taken", id=id, path=taken)
        raise InputError(message, remedy=say("new_id_taken_remedy"), field="id")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = say("new_unwritable", root=place.manifests, why=error.strerror or str(error))
        raise InputError(message, remedy=say("new_unwritable_remedy")) from None
    return list(files)


def _files(kind: Kind, id: str, area: str, place: Place) -> Mapping[Path, str]:
    def fill_template(name: str) -> str:
        return Template((TEMPLATES / name).read_text(encoding="utf-8")).substitute(id=id, area=area)

    folder = place.manifests / "lookups" if kind == "lookup" else place.manifests / f"{kind}s" / area
    return {
        folder / f"{id}.yaml": fill_template(f"{kind}.yaml"),
        place.cases / f"{id}.yaml": fill_template(f"{kind}.cases.yaml"),
    }
