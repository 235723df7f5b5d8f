"""What Kontor can do, declared: actions, triggers, lookups and the wire names."""
