"""Handlers of the triggers that belong to no single area."""
