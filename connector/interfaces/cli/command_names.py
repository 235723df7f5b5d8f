"""The names of all commands."""

COMMANDS = {
    "look": ("actions", "triggers", "lookups", "describe"),
    "work": ("run", "options", "poll", "runs", "approvals", "approve", "reject"),
    "watch": ("watch", "subscriptions", "doctor", "credits"),
    "manage": ("workspaces", "keys", "tokens", "policy", "hooks", "audit"),
    "try": ("serve", "worker", "sandbox"),
    "build": ("export", "new", "check", "mcp"),
}
"""Commands by help group. Each is a module of this package (`arguments`, `run`) with a message `command_<name>`; each
group has a message `commands_<group>`."""

LISTS = ("actions", "triggers", "lookups")
