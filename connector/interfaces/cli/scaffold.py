"""Creates the files of a new action, trigger or lookup from templates.

The templates are valid and read a free list of their area, so that the result can be tried at once.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from connector.core import compiled
from connector.core.errors import InputError
from connector.core.manifest.files import FOLDER
from connector.core.manifest.load import VARIABLE
from connector.core.manifest.model import NOTHING_AROUND
from connector.core.messages import say

Kind = Literal["action", "trigger", "lookup"]

ID = re.compile(r"[a-z][a-z0-9_]{2,47}")
SHIPPED = Path(FOLDER)
TEMPLATES = SHIPPED / "new"
USUAL_AREA = "banking"


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
    from connector.export.python_handlers import GENERATED, ROOT, handler
    from connector.runtime.catalog import Catalog

    catalog = Catalog(str(place.manifests))
    text = handler(catalog.action(id) if kind == "action" else catalog.trigger(id), catalog)
    return text if place.handlers == ROOT else text.removeprefix(GENERATED)
