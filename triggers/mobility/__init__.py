"""Handlers of the triggers in the mobility area."""
