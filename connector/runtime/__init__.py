"""The runtime: executes actions, lookups and triggers from their manifests, and does all their I/O."""
