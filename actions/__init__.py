"""Handlers of the actions, one module each, by area."""
