"""Handlers of the actions in the banking area."""
