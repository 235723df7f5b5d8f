"""Activepieces: a piece as data, and a thin adapter that lets the TypeScript core do the work."""

from connector.export.activepieces.package import FILE, build, build_to_install

__all__ = ["FILE", "build", "build_to_install"]
