"""Pages about who has access: people and workspaces, and what of a policy waits for a second person."""
