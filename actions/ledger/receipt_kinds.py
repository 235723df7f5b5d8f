"""Tells a receipt file's kind by its first bytes, whatever its name says.

Which kinds the service takes is not shown; these are the ones that scanners and phones produce and accounting reads.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file: how it begins, and how its name ends."""

    name: str
    beginnings: tuple[bytes, ...]
    endings: tuple[str, ...]


KINDS = (
    Kind("PDF", (b"%PDF-",), (".pdf",)),
    Kind("PNG", (b"\x89PNG\r\n\x1a\n",), (".png",)),
    Kind("JPEG", (b"\xff\xd8\xff",), (".jpg", ".jpeg")),
    Kind("TIFF", (b"II*\x00", b"MM\x00*"), (".tif", ".tiff")),
    Kind("GIF", (b"GIF87a", b"GIF89a"), (".gif",)),
)


def kind_of(content: bytes) -> Kind | None:
    """The kind of a file, or None when it is none of those known."""
    return next((kind for kind in KINDS if content.startswith(kind.beginnings)), None)
