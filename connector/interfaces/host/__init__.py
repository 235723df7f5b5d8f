"""The host: Kontor over HTTP, with the hub that takes the service's events in and the engine beside it."""
