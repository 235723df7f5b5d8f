"""Polls: finds the cursors that are due, asks the service as little as possible, commits what is new."""
