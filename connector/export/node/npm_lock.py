"""Locked packages of npm: the compact form that the repository keeps, and the `package-lock.json` that it stands for.

A lock file of this form names every package that is installed, the indirect ones too, with its exact version and the
names of what it depends on. It names no address: the registry that npm is set up for resolves it.

    {"dependencies": {"a": "1.0.0"}, "overrides": {},
     "packages": {"a": "1.0.0 b c?", "b": "2.1.0", "a > c": {"locked": "3.0.0", "optional": true, "os": ["linux"]}}}

A key is the path of a package below `node_modules`, ` > ` standing for another `node_modules`. A value is the version
and the names of dependencies, optional ones with `?`. It is an object where npm must know more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

KEPT = ("name", "optional", "os", "cpu", "libc", "bin")
"""What npm reads in a lock of a package besides its version and its dependencies."""
ROOT = ("name", "version", "license", "engines")
FOLDER = "node_modules/"
Lock = Mapping[str, Any]


def read(path: Path) -> Lock:
    """A lock in the compact form."""
    lock: Lock = json.loads(path.read_text(encoding="utf-8"))
    return lock


def package_lock(described: Mapping[str, Any], lock: Lock) -> dict[str, Any]:
    """The `package-lock.json` that belongs beside the package.json `described`."""
    root = {
        name: value for name, value in described.items() if name == "version" or name.lower().endswith("dependencies")
    }
    entries = {key: _entry(value) for key, value in lock["packages"].items()}
    packages = {FOLDER + key.replace(" > ", f"/{FOLDER}"): _expanded(key, entries) for key in entries}
    return {
        "name": described["name"],
        "version": described["version"],
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": root, **packages},
    }


def compact(package_lock: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """The compact form of a `package-lock.json` that npm wrote for the package.json `described`.

    What a package bundles comes with it, and is not named.
    """
    found = {
        _key(path): entry for path, entry in package_lock["packages"].items() if path and not entry.get("inBundle")
    }
    packages: dict[str, Any] = {}
    for key, entry in sorted(found.items()):
        needed = sorted(set(entry.get("dependencies", {})) - set(entry.get("bundleDependencies", ())))
        wished = sorted(name for name in entry.get("optionalDependencies", {}) if _nearest(key, name, found))
        locked = " ".join([entry["version"], *needed, *(f"{name}?" for name in wished)])
        more = {name: entry[name] for name in KEPT if entry.get(name)}
        packages[key] = {"locked": locked, **more} if more else locked
    return {
        "dependencies": dict(described["dependencies"]),
        "overrides": dict(described.get("overrides", {})),
        "packages": packages,
    }


def written(lock: Lock) -> str:
    """The text of a lock: a package a line, so that a change of one is a change of a line."""
    lines = ",\n".join(
        f"    {json.dumps(key)}: {json.dumps(value, sort_keys=True)}" for key, value in lock["packages"].items()
    )
    head = {name: lock[name] for name in ("dependencies", "overrides")}
    return json.dumps(head, indent=2).removesuffix("\n}") + f',\n  "packages": {{\n{lines}\n  }}\n}}\n'


def versions(lock: Lock) -> dict[str, str]:
    """The version of each package, by its path below a folder that it is installed in."""
    entries = {key: _entry(value) for key, value in lock["packages"].items()}
    return {FOLDER + key.replace(" > ", f"/{FOLDER}"): entry["locked"].split()[0] for key, entry in entries.items()}


def _entry(value: Any) -> dict[str, Any]:
    return {"locked": value} if isinstance(value, str) else value


def _key(path: str) -> str:
    return path.removeprefix(FOLDER).replace(f"/{FOLDER}", " > ")


def _nearest(key: str, name: str, known: Mapping[str, Any]) -> str | None:
    """The package that Node finds by a name from within another package."""
    places = key.split(" > ")
    above = (" > ".join([*places[:depth], name]) for depth in range(len(places), -1, -1))
    return next((one for one in above if one in known), None)


def _expanded(key: str, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    version, *names = entries[key]["locked"].split()
    expanded = {"version": version, **{name: entries[key][name] for name in KEPT if name in entries[key]}}
    for field, wanted in (
        ("dependencies", [name for name in names if not name.endswith("?")]),
        ("optionalDependencies", [name.removesuffix("?") for name in names if name.endswith("?")]),
    ):
        if wanted:
            expanded[field] = {name: _exact(key, name, entries) for name in wanted}
    return expanded


def _exact(key: str, name: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    found = _nearest(key, name, entries)
    if found is None:
        raise ValueError(f"the lock of npm packages has no {name}, which {key} needs")
    version = str(entries[found]["locked"].split()[0])
    alias = entries[found].get("name")
    return f"npm:{alias}@{version}" if alias else version
