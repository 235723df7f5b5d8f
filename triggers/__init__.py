"""Handlers of the triggers, one module each, by area."""
