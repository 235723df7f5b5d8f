"""The commands: their names by help group, and in which module of this folder each stands.

A command `x` is two functions: `x_arguments(parser)` and `x_command(options)`, which returns the exit status. Its
message is `command_x`, that of a group `commands_<group>`.
"""

COMMANDS = {
    "look": ("actions", "triggers", "lookups", "describe"),
    "work": ("run", "options", "poll", "runs", "approvals", "approve", "reject"),
    "watch": ("watch", "subscriptions", "doctor", "credits"),
    "manage": ("workspaces", "keys", "people", "tokens", "policy", "hooks", "audit", "rights"),
    "try": ("serve", "worker", "sandbox"),
    "build": ("export", "templates", "new", "check", "mcp", "completion"),
}
"""Commands by help group."""
LISTS = ("actions", "triggers", "lookups")
MODULES = {
    **dict.fromkeys(("approve", "reject", "policy"), "approvals"),
    **dict.fromkeys(("keys", "people", "tokens", "hooks"), "workspaces"),
    **dict.fromkeys(("worker", "sandbox", "mcp"), "serve"),
    "options": "run",
    "rights": "audit",
    "templates": "export",
    "check": "new",
}
"""Where a command stands, if not in the module of its own name."""
