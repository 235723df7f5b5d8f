"""Kontor's icon, drawn by hand: an open T-account with a coin on it. As SVG, and as PNG in any size.

Both come from the same few shapes, so they always look alike; the PNG is rendered here because no platform that wants
one should make us depend on an image library.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, sqrt

GRID = 64
BACKGROUND = "#0f4c5c"
"""The brand colour, for platforms that ask for one."""
LINES = "#ffffff"
COIN = "#f2b134"
ON_DARK = {BACKGROUND: "#e8f1f2", LINES: "#0f4c5c"}
"""What stands in for the colours where the page around the icon is dark."""
SUBROWS = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle with round corners on a grid of 64; with the radius of half its width it is a circle."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    colour: str


SHAPES = (
    Shape(0, 0, 64, 64, 12, BACKGROUND),
    Shape(12, 15, 40, 5, 2.5, LINES),
    Shape(29.5, 15, 5, 36, 2.5, LINES),
    Shape(13, 26, 12, 4, 2, LINES),
    Shape(16, 34, 9, 4, 2, LINES),
    Shape(39, 26, 12, 4, 2, LINES),
    Shape(36, 36, 18, 18, 9, BACKGROUND),
    Shape(38, 38, 14, 14, 7, COIN),
)


def svg(*, round_corners: bool = True, on_dark: bool = False) -> bytes:
    """The icon as SVG."""
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {GRID} {GRID}" width="{GRID}" height="{GRID}">']
    for shape in _shapes(round_corners):
        corner = f' rx="{shape.radius:g}"' if shape.radius else ""
        colour = ON_DARK.get(shape.colour, shape.colour) if on_dark else shape.colour
        lines.append(
            f'  <rect x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" height="{shape.height:g}"{corner}'
            f' fill="{colour}"/>'
        )
    return "\n".join([*lines, "</svg>", ""]).encode()


@lru_cache(maxsize=8)
def png(size: int = 256, *, round_corners: bool = True) -> bytes:
    """The icon as PNG with `size` pixels on each side; outside of round corners it is transparent."""
    scale = size / GRID
    rows = []
    for y in range(size):
        row = bytearray(4 * size)
        for shape in _shapes(round_corners):
            _paint(row, y, size, scale, shape)
        rows.append(b"\x00" + bytes(row))  # each row begins with its filter: none
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    chunks = (("IHDR", header), ("IDAT", zlib.compress(b"".join(rows), 9)), ("IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name.encode(), content) for name, content in chunks)


def _shapes(round_corners: bool) -> tuple[Shape, ...]:
    ground, *rest = SHAPES
    if round_corners:
        return SHAPES
    return (Shape(ground.x, ground.y, ground.width, ground.height, 0, ground.colour), *rest)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _paint(row: bytearray, y: int, size: int, scale: float, shape: Shape) -> None:
    """Lays one shape over one row of pixels. Where an edge crosses a pixel, it is mixed by the part that is covered."""
    spans = [_span(shape, (y + (part + 0.5) / SUBROWS) / scale) for part in range(SUBROWS)]
    found = [(first * scale, last * scale) for first, last in filter(None, spans)]
    if not found:
        return
    red, green, blue = (int(shape.colour[at : at + 2], 16) for at in (1, 3, 5))
    left, right = max(0, floor(min(span[0] for span in found))), min(size, ceil(max(span[1] for span in found)))
    inner_left, inner_right = ceil(max(span[0] for span in found)), floor(min(span[1] for span in found))
    if len(found) == SUBROWS and inner_left < inner_right:
        row[4 * inner_left : 4 * inner_right] = bytes((red, green, blue, 255)) * (inner_right - inner_left)
        edges = [*range(left, inner_left), *range(inner_right, right)]
    else:
        edges = [*range(left, right)]
    for x in edges:
        covered = sum(max(0.0, min(x + 1.0, last) - max(float(x), first)) for first, last in found) / SUBROWS
        if covered > 0:
            _mix(row, 4 * x, (red, green, blue), min(1.0, covered))


def _span(shape: Shape, y: float) -> tuple[float, float] | None:
    """From where to where a shape reaches at a height."""
    if not shape.y <= y < shape.y + shape.height:
        return None
    into = min(y - shape.y, shape.y + shape.height - y)
    inset = 0.0
    if into < shape.radius:
        inset = shape.radius - sqrt(max(0.0, shape.radius**2 - (shape.radius - into) ** 2))
    return shape.x + inset, shape.x + shape.width - inset


def _mix(row: bytearray, at: int, colour: tuple[int, int, int], covered: float) -> None:
    under = row[at + 3] / 255
    whole = covered + under * (1 - covered)
    for place, value in enumerate(colour):
        row[at + place] = round((value * covered + row[at + place] * under * (1 - covered)) / whole)
    row[at + 3] = round(255 * whole)
