"""Handlers of the lookups whose options cannot be declared, one module each."""
