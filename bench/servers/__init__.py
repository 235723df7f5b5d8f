"""Servers that the measurements run against, each a process of its own."""
