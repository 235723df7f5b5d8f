"""Whether CI worked with what it fetched itself: `from_elsewhere.py CACHE`, a folder that was empty when CI began.

Each package of npm that is installed there must have been downloaded into the cache of npm there, and the environment
of Python must see nothing outside of itself but the standard library.
"""

from __future__ import annotations

import json
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote


def strangers(cache: Path) -> Iterator[str]:
    """What was taken from elsewhere."""
    downloaded = set(_downloaded(cache / "npm"))
    installed = sorted(cache.glob("node/*/node_modules/.package-lock.json"))
    if not installed:
        yield f"there are no packages of npm in {cache / 'node'}"
    for lock in installed:
        folder = lock.parents[1]
        for path, entry in json.loads(lock.read_text(encoding="utf-8"))["packages"].items():
            name = entry.get("name") or path.rpartition("node_modules/")[2]
            file = f"{name}/-/{name.rpartition('/')[2]}-{entry['version']}.tgz"
            if (folder / path).exists() and file not in downloaded:
                yield f"{folder.name}: {name} {entry['version']} was not downloaded"
            if (folder / path).is_symlink():
                yield f"{folder.name}: {path} is a link"
    own = (cache, *(Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib")))
    for entry in sys.path[1:]:
        path = Path(entry).resolve()
        if path != cache.parent and not path.name.endswith(".zip") and not any(path.is_relative_to(one) for one in own):
            yield f"Python imports from {path}"


def _downloaded(npm: Path) -> Iterator[str]:
    """Every archive in the cache of npm, as it stands at the end of an address: name, `/-/`, file."""
    for index in npm.glob("_cacache/index-v5/*/*/*"):
        for line in index.read_text(encoding="utf-8").splitlines():
            key = json.loads(line.partition("\t")[2])["key"] if "\t" in line else ""
            before, found, file = unquote(key).partition("/-/")
            if found and key.startswith("make-fetch-happen:request-cache:"):
                scope, _, name = before.rpartition("/")
                scope = scope.rpartition("/")[2]
                yield f"{scope}/{name}/-/{file}" if scope.startswith("@") else f"{name}/-/{file}"


if __name__ == "__main__":
    found = sorted(set(strangers(Path(sys.argv[1]).resolve())))
    sys.exit("\n".join(found) or None)
