"""`kontor export PLATFORM|all -o DIR`: writes packages that platforms load, made from the same manifests."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.export.catalogue import ALL, export, platforms, write
from connector.export.shape import Export, ExportOptions
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.paint import paint
from connector.runtime.connector import Connector

FOUND_SOMETHING = 5
"""The exit status when a check does not pass."""
MOST_SHOWN = 50


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor export` understands."""
    usual = ExportOptions()
    names = ", ".join(platforms())
    parser.add_argument(
        "platform", metavar=f"{tell('metavar_platform')}|{ALL}", help=tell("help_export_platform", names=names)
    )
    parser.add_argument("-o", "--out", type=Path, metavar=tell("metavar_folder"), help=tell("help_export_folder"))
    parser.add_argument("--via", choices=["service", "host"], default=usual.via, help=tell("help_export_via"))
    parser.add_argument("--host-url", default=usual.host_url, metavar="URL", help=tell("help_export_host_url"))
    parser.add_argument("--lang", choices=["en", "de"], default=language(), help=tell("help_export_lang"))
    parser.add_argument("--check", action="store_true", help=tell("help_export_check"))


def run(options: argparse.Namespace) -> int:
    """Builds the packages, and writes or checks them."""
    if options.out is None and not options.check:
        raise InputError(say("export_nowhere"), remedy=say("export_nowhere_remedy"), field="-o")
    usual = ExportOptions()
    made = ExportOptions(
        via=options.via,
        base_url=os.environ.get("KONTOR_BASE_URL", "").strip() or usual.base_url,
        host_url=options.host_url,
        lang=options.lang,
    )
    names = platforms() if options.platform == ALL else (options.platform,)
    connector = Connector()
    exports = [export(name, connector, made, check=options.check) for name in names]
    documents = [_kept(one, _folder(options, one), options) for one in exports]
    if options.json:
        print_json({"ok": True, "exports": documents})
    found = options.check and any(one.findings for one in exports)
    return FOUND_SOMETHING if found else 0


def _folder(options: argparse.Namespace, made: Export) -> Path | None:
    """One platform's files go into the folder itself; all of them each into a folder of its own name."""
    if options.out is None:
        return None
    return Path(options.out) / made.platform if options.platform == ALL else Path(options.out)


def _kept(made: Export, folder: Path | None, options: argparse.Namespace) -> dict[str, Any]:
    files = _written(made, folder) if folder is not None else []
    if not options.json:
        _show(made, folder, len(files), checked=options.check)
    return {**made.report(), "folder": str(folder) if folder else None, "files": files}


def _written(made: Export, folder: Path) -> list[str]:
    try:
        return [path.relative_to(folder).as_posix() for path in write(made, folder)]
    except OSError as error:
        text = say("export_folder", folder=folder, why=error.strerror or error)
        raise InputError(text, remedy=say("export_folder_remedy"), field="-o") from None


def _show(made: Export, folder: Path | None, count: int, *, checked: bool) -> None:
    if folder is not None:
        print(paint(tell("export_written", platform=made.platform, count=count, folder=folder), "green"))
    for one in made.dropped:
        print("  " + tell("export_dropped", kind=one.kind, id=one.id, reason=one.reason))
    if checked:
        print(tell("export_checked", platform=made.platform, count=len(made.findings)))
        for finding in made.findings[:MOST_SHOWN]:
            print(f"  {finding.where}: {finding.message}")
