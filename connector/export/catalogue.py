"""All exports in one place: which platforms there are, building a package, writing it to a folder or into a zip.

A platform is a package beside this module that offers `build(connector, options) -> Export`; it is found by being
there. Where it also offers `build_to_install(connector, options)`, there is a file that the platform installs as it is.
The command line and the console both come through here.
"""

from __future__ import annotations

import io
import json
import zipfile
from importlib import import_module
from pathlib import Path, PurePosixPath
from pkgutil import iter_modules
from types import ModuleType

from connector.core.errors import InputError
from connector.core.messages import say
from connector.export.shape import Export, ExportOptions, Via
from connector.runtime.connector import Connector

ALL = "all"
PACKAGE = "connector.export"
REPORT = "kontor-report.json"
"""What the package holds and what it had to leave out, beside its files."""
NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a zip: the earliest it knows, so that the same package is the same bytes."""
PLAIN_FILE = 0o644 << 16


def platforms() -> tuple[str, ...]:
    """The platforms as the command line calls them, in order."""
    here = import_module(PACKAGE)
    names = (module.name for module in iter_modules(here.__path__) if module.ispkg)
    return tuple(sorted(_platform(name) for name in names if _offers_build(name)))


def export(platform: str, connector: Connector, options: ExportOptions) -> Export:
    """Builds the package for a platform, and checks it by the platform's rules: its findings say what these refuse."""
    built: Export = _module(platform).build(connector, options)
    return built


def ready_made(platform: str, connector: Connector, options: ExportOptions) -> tuple[str, bytes] | None:
    """The file that the platform installs as it is: its name and its bytes; None where it has no such file."""
    if file_to_install(platform) is None:
        return None
    package: tuple[str, bytes] = _module(platform).build_to_install(connector, options)
    return package


def file_to_install(platform: str) -> str | None:
    """The name of the file that the platform installs as it is; None where it has no such file."""
    name: str | None = getattr(_module(platform), "FILE", None)
    return name


def install_words(platform: str) -> dict[str, str]:
    """What the steps to install the package name: its file, or the platform's own tool."""
    file, offered = file_to_install(platform), getattr(_module(platform), "install_words", dict)
    return {**({"file": file} if file else {}), **offered()}


def is_unguarded(platform: str, via: Via) -> bool:
    """Whether neither a key nor a look-up guards a write there, so that those that duplicate have to be asked for."""
    return via in getattr(_module(platform), "UNGUARDED", ())


def _module(platform: str) -> ModuleType:
    known = platforms()
    if platform not in known:
        remedy = say("platforms", names=", ".join(known))
        raise InputError(say("platform_unknown", platform=platform), remedy=remedy, field="platform")
    return import_module(f"{PACKAGE}.{platform.replace('-', '_')}")


def write(export: Export, folder: Path) -> list[Path]:
    """Writes the package and its report into a folder, and says which files those are. Others stay as they are."""
    written = []
    for name, content in sorted(_files(export).items()):
        path = folder / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written


def as_zip(export: Export) -> bytes:
    """The package and its report as a zip: the same package, the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(_files(export).items()):
            entry = zipfile.ZipInfo(name, NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = PLAIN_FILE
            entry.create_system = 3  # whatever the machine, the same bytes
            archive.writestr(entry, content)
    return packed.getvalue()


def _files(export: Export) -> dict[str, bytes]:
    report = json.dumps(export.report(), ensure_ascii=False, indent=2) + "\n"
    files = {**export.files, REPORT: report.encode()}
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or not path.name:
            raise ValueError(f"a package's file lies outside of it: {name}")
    return files


def _platform(module: str) -> str:
    return module.replace("_", "-")


def _offers_build(module: str) -> bool:
    return callable(getattr(import_module(f"{PACKAGE}.{module}"), "build", None))
