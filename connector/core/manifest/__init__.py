"""Manifests: what Kontor can do, read from YAML once and kept ready."""
