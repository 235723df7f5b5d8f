"""Reads data written in YAML fast: it is parsed once and kept as one JSON file until a source file changes."""

from __future__ import annotations

import contextlib
import json
import os

from connector.version import __version__

TYPE_CHECKING = False  # as in `typing`, whose import alone would take a third of the command line's start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Sources = list[tuple[str, os.stat_result]]


def load(name: str, folder: str | None, sources: Sources, parse: Callable[[], Any]) -> Any:
    """The data that `parse` makes of the sources in `folder`, from the cache where that is fresh.

    Without a folder the cache stands only among the user's own files.
    """
    stamp = _stamp(sources)
    for cache in _caches(name, folder):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            with open(cache, encoding="utf-8") as file:
                entry = json.load(file)
            if entry["stamp"] == stamp:
                return entry["data"]
    data = parse()
    _keep(name, folder, json.dumps({"stamp": stamp, "data": data}))
    return data


def sources(folders: Iterable[str]) -> Sources:
    """Every YAML file in these folders and below, in the order of their paths."""
    return sorted(_walk(folders))


def read_yaml(path: str) -> Any:
    """What a YAML file says; dates are text, since every format that is made from these files has them so."""
    import yaml

    class Reader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """YAML itself lets a later key replace an earlier one, and reads `no` as a truth value."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys: set[str] = set()
            for key, _ in node.value:
                if key.tag != "tag:yaml.org,2002:str":
                    raise ValueError(f"{path}, line {key.start_mark.line + 1}: put '{key.value}' in quotes")
                if key.value in keys:
                    raise ValueError(f"{path}, line {key.start_mark.line + 1}: '{key.value}' stands there twice")
                keys.add(key.value)
            return super().construct_mapping(node, deep)

    with open(path, encoding="utf-8") as file:
        tree = yaml.load(file, Loader=Reader)  # noqa: S506 - a safe loader
    return json.loads(json.dumps(tree, default=str))


def _walk(folders: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Walked by hand: `Path.rglob` takes longer than everything else that a start does."""
    to_visit = list(folders)
    while to_visit:
        with contextlib.suppress(FileNotFoundError), os.scandir(to_visit.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    to_visit.append(entry.path)
                elif entry.name.endswith(".yaml"):
                    yield entry.path, entry.stat()


def _stamp(sources: Sources) -> str:
    """Changes whenever a file is added, removed or written, and with the version, which may parse otherwise."""
    return "\n".join([__version__, *(f"{path} {stat.st_mtime_ns} {stat.st_size}" for path, stat in sources)])


def _caches(name: str, folder: str | None) -> Iterator[str]:
    """Beside the sources; where that may not be written to, in the user's cache."""
    if folder is not None:
        yield os.path.join(folder, f".compiled-{name}.json")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    yield os.path.join(home, "kontor", f"{name}.json")


def _keep(name: str, folder: str | None, text: str) -> None:
    import tempfile

    for cache in _caches(name, folder):
        with contextlib.suppress(OSError):
            parent = os.path.dirname(cache)
            os.makedirs(parent, exist_ok=True)
            # Written aside and moved into place: another process may be reading.
            handle, aside = tempfile.mkstemp(dir=parent, prefix=os.path.basename(cache))
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                os.replace(aside, cache)
            except OSError:
                os.unlink(aside)
                raise
            return
