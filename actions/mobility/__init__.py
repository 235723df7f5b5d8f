"""Handlers of the actions in the mobility area; so far everything there could be declared."""
