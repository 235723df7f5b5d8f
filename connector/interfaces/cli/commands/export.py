"""`kontor export PLATFORM|all -o DIR`: writes platform packages built from the manifests."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.export.catalogue import ALL, export, platforms, ready_made, write
from connector.export.n8n.flows import Flow, flows, workflow
from connector.export.n8n.package import PLATFORM
from connector.export.shape import OWED, Export, ExportOptions
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json
from connector.runtime.connector import Connector

EXIT_FINDINGS = 5
"""Exit status when `--check` or `--release` has findings."""
MAX_FINDINGS_SHOWN = 50


def export_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor export`."""
    defaults = ExportOptions()
    names = ", ".join(platforms())
    parser.add_argument(
        "platform",
        metavar=f"{localized('metavar_platform')}|{ALL}",
        help=localized("help_export_platform", names=names),
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar=localized("metavar_folder"), help=localized("help_export_folder")
    )
    parser.add_argument("--via", choices=["service", "host"], default=defaults.via, help=localized("help_export_via"))
    parser.add_argument("--with-writes", action="store_true", help=localized("help_export_with_writes"))
    parser.add_argument("--host-url", default=defaults.host_url, metavar="URL", help=localized("help_export_host_url"))
    parser.add_argument("--lang", choices=["en", "de"], default=language(), help=localized("help_export_lang"))
    parser.add_argument("--check", action="store_true", help=localized("help_export_check"))
    parser.add_argument("--release", action="store_true", help=localized("help_export_release"))


def export_command(options: argparse.Namespace) -> int:
    """Build the packages, and write or check them."""
    if options.out is None and not options.check:
        raise InputError(say("export_nowhere"), remedy=say("export_nowhere_remedy"), field="-o")
    defaults = ExportOptions()
    built = ExportOptions(
        via=options.via,
        base_url=os.environ.get("KONTOR_BASE_URL", "").strip() or defaults.base_url,
        host_url=options.host_url,
        lang=options.lang,
        with_writes=options.with_writes,
    )
    if options.release:
        _refuse_placeholders(built)
    names = platforms() if options.platform == ALL else (options.platform,)
    connector = Connector()
    exports = [export(name, connector, built) for name in names]
    documents = []
    for package in exports:
        folder = _folder(options, package)
        installable = ready_made(package.platform, connector, built) if folder is not None else None
        documents.append(_write_and_report(package, folder, installable, options))
    if options.json:
        print_json({"ok": True, "exports": documents})
    has_findings = (options.check or options.release) and any(package.findings for package in exports)
    return EXIT_FINDINGS if has_findings else 0


def templates_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor templates`."""
    parser.add_argument(
        "verb", nargs="?", choices=["list", "export"], default="list", help=localized("help_templates_verb")
    )
    parser.add_argument("name", nargs="?", help=localized("help_templates_name"))
    parser.add_argument("-o", "--out", type=Path, metavar=localized("metavar_folder"), default=Path())
    parser.add_argument("--lang", choices=["en", "de"], default=language(), help=localized("help_templates_lang"))


def templates_command(options: argparse.Namespace) -> int:
    """List the flows that a platform imports, or write them."""
    known = flows()
    if options.name is not None and options.name not in known:
        remedy = say("template_names", names=", ".join(known))
        raise InputError(say("template_unknown", name=options.name), remedy=remedy, field="name")
    chosen = [flow for flow in known.values() if options.name in (None, flow.name)]
    written = _write_flows(chosen, options) if options.verb == "export" else {}
    if options.json:
        print_json({"ok": True, "templates": [_flow_document(flow, written.get(flow.name)) for flow in chosen]})
        return 0
    for flow in chosen:
        file = written.get(flow.name)
        print(file or f"{flow.name:<20} {PLATFORM}  {flow.about.in_(options.lang)}")
    return 0


def _flow_document(flow: Flow, file: str | None) -> dict[str, Any]:
    texts = {"title": {"en": flow.title.en, "de": flow.title.de}, "about": {"en": flow.about.en, "de": flow.about.de}}
    return {"name": flow.name, "platform": PLATFORM, **texts, **({"file": file} if file else {})}


def _write_flows(chosen: list[Flow], options: argparse.Namespace) -> dict[str, str]:
    connector, written = Connector(), {}
    for flow in chosen:
        path = options.out / f"{PLATFORM}-{flow.name}-{options.lang}.json"
        try:
            options.out.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(workflow(flow, connector, options.lang), ensure_ascii=False, indent=2) + "\n")
        except OSError as error:
            text = say("export_folder", folder=options.out, why=error.strerror or error)
            raise InputError(text, remedy=say("export_folder_remedy"), field="-o") from None
        written[flow.name] = str(path)
    return written


def _refuse_placeholders(options: ExportOptions) -> None:
    """A package that is published names its publisher and a real address."""
    placeholders = options.placeholders
    if placeholders:
        text = say("release_placeholders", names=", ".join(placeholders))
        remedy = say("release_placeholders_remedy", names=", ".join(OWED))
        raise InputError(text, remedy=remedy, field="--release")


def _folder(options: argparse.Namespace, built: Export) -> Path | None:
    """Return the target folder; `all` uses a subfolder per platform."""
    if options.out is None:
        return None
    return Path(options.out) / built.platform if options.platform == ALL else Path(options.out)


def _write_and_report(
    built: Export, folder: Path | None, installable: tuple[str, bytes] | None, options: argparse.Namespace
) -> dict[str, Any]:
    files = _write_files(built, folder, installable) if folder is not None else []
    if not options.json:
        _show(built, folder, len(files), checked=options.check or options.release)
        if installable is not None:
            print("  " + localized("export_to_install", file=installable[0]))
    installs = installable[0] if installable is not None else None
    return {**built.report(), "folder": str(folder) if folder else None, "files": files, "install": installs}


def _write_files(built: Export, folder: Path, installable: tuple[str, bytes] | None) -> list[str]:
    try:
        written = [path.relative_to(folder).as_posix() for path in write(built, folder)]
        if installable is not None:
            (folder / installable[0]).write_bytes(installable[1])
            written.append(installable[0])
        return written
    except OSError as error:
        text = say("export_folder", folder=folder, why=error.strerror or error)
        raise InputError(text, remedy=say("export_folder_remedy"), field="-o") from None


def _show(built: Export, folder: Path | None, count: int, *, checked: bool) -> None:
    if folder is not None:
        print(colored(localized("export_written", platform=built.platform, count=count, folder=folder), "green"))
    for note in built.notes:
        print("  " + colored(note.in_(language()), "yellow"))
    for dropped in built.dropped:
        print("  " + localized("export_dropped", kind=dropped.kind, id=dropped.id, reason=dropped.reason))
    if checked:
        print(localized("export_checked", platform=built.platform, count=len(built.findings)))
        for finding in built.findings[:MAX_FINDINGS_SHOWN]:
            print(f"  {finding.where}: {finding.message}")
