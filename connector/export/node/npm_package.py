"""What every npm package has: who made it, its licence and papers, and the file that `npm pack` would make of it."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from connector.core.messages import say
from connector.export.shape import Dropped, Publisher

LICENCE = Path(__file__).parents[3] / "LICENSE"
MODIFIED = 499_162_500
"""The time that npm writes for every file, so that the same package is the same bytes."""


def origin(publisher: Publisher) -> dict[str, Any]:
    """Who made a package, and where it comes from."""
    return {
        "license": publisher.licence,
        "homepage": publisher.homepage,
        "author": {"name": publisher.author, "email": publisher.email},
        "repository": {"type": "git", "url": publisher.repository},
    }


def licence() -> bytes:
    """Kontor's own licence; an installed Kontor may have no file of it, and then says its name."""
    return LICENCE.read_bytes() if LICENCE.is_file() else b"MIT\n"


def document(value: Any) -> bytes:
    """A JSON document as people read it."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def listed(texts: Iterable[str]) -> str:
    """A list in Markdown."""
    return "\n".join(f"- {text}" for text in texts)


def left_out(dropped: Iterable[Dropped], lang: str) -> str:
    """What a README says of what is not in its package, reason by reason; empty where nothing is missing."""
    reasons: dict[str, list[str]] = {}
    for one in dropped:
        reasons.setdefault(one.reason.in_(lang), []).append(f"`{one.id}`")
    if not reasons:
        return ""
    lines = listed(f"{', '.join(dict.fromkeys(ids))}: {reason}" for reason, ids in reasons.items())
    return f"\n## {say('package_readme_dropped').in_(lang)}\n\n{lines}\n"


def packed(files: Mapping[str, bytes]) -> bytes:
    """The package as one file, in the layout of `npm pack`."""
    made = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=made, mode="wb", filename="", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in sorted(files, key=lambda one: (one != "package.json", one)):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mtime, entry.mode = len(files[name]), MODIFIED, 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    return made.getvalue()
