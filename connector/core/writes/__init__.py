"""What a write is known by, what proves it, and what a policy says of it."""
