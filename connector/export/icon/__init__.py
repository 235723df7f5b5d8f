"""Kontor's icon: an open T-account with a coin on it, as SVG and as PNG in the sizes that platforms ask for."""

from __future__ import annotations

from pathlib import Path

BACKGROUND = "#0f4c5c"
"""The brand colour, for platforms that ask for one; the drawings are made of it too."""
FOLDER = Path(__file__).parent


def svg(*, on_dark: bool = False) -> bytes:
    """The icon as SVG; `on_dark` for pages with a dark ground."""
    return (FOLDER / ("kontor.dark.svg" if on_dark else "kontor.svg")).read_bytes()


def png(size: int, *, round_corners: bool = True) -> bytes:
    """The icon as PNG with so many pixels on each side; there is a file for each size and form that an export uses."""
    return (FOLDER / f"kontor.{size}{'' if round_corners else '.square'}.png").read_bytes()
