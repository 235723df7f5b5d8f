"""Polls triggers: finds due cursors, fetches with as few requests as possible, commits new items."""
