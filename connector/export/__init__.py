"""Exports: from the same manifests, packages that the platforms load."""
