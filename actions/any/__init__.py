"""Handlers of the actions that belong to no single area."""
