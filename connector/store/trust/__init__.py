"""Who may do what: workspaces, tokens, API keys, encryption and the audit log."""
