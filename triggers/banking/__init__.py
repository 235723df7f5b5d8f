"""Handlers of the triggers in the banking area."""
