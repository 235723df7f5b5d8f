"""`kontor new action|trigger ID`: writes the files of a new one, and says what to do next."""

from __future__ import annotations

import argparse
from pathlib import Path

from connector.core.manifest.files import AREAS
from connector.interfaces.cli.language import tell
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.scaffold import ROOT, write


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor new` understands."""
    parser.add_argument("kind", choices=["action", "trigger"], help=tell("help_new_kind"))
    parser.add_argument("id", metavar="ID", help=tell("help_new_id"))
    parser.add_argument("--area", choices=AREAS, default="any", help=tell("help_new_area"))
    parser.add_argument("--into", type=Path, default=ROOT, metavar=tell("metavar_folder"), help=tell("help_new_into"))


def run(options: argparse.Namespace) -> int:
    """Writes the files."""
    root = options.into.resolve()
    files = [str(path.relative_to(root)) for path in write(options.kind, options.id, options.area, root)]
    if options.json:
        print_json({"ok": True, "kind": options.kind, "id": options.id, "area": options.area, "files": files})
        return 0
    print(tell("new_written"))
    for name in files:
        print(f"  {paint(name, 'green')}")
    print("\n" + tell("new_next", id=options.id, manifest=files[0]))
    return 0
