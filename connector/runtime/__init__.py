"""The runtime: runs any manifest. It does all I/O, once, for all actions, lookups and triggers."""
