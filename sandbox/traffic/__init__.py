"""Requests and events on the wire: parsing, routes, faults, logs, wire names and the sender of events."""
