"""`kontor new action|trigger|lookup ID`: creates the files of a new action, trigger or lookup."""

from __future__ import annotations

import argparse
from pathlib import Path

from connector.core.manifest.files import AREAS
from connector.interfaces.cli.colors import colored
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.scaffold import Place, write


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor new`."""
    parser.add_argument("kind", choices=["action", "trigger", "lookup"], help=localized("help_new_kind"))
    parser.add_argument("id", metavar="ID", help=localized("help_new_id"))
    parser.add_argument("--area", choices=AREAS, default="any", help=localized("help_new_area"))
    parser.add_argument("--into", type=Path, metavar=localized("metavar_folder"), help=localized("help_new_into"))


def run(options: argparse.Namespace) -> int:
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
