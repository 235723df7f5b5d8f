"""The names of all commands."""

COMMANDS = {
    "look": ("actions", "triggers", "lookups", "describe"),
    "work": ("run", "options", "poll", "parked"),
    "watch": ("watch", "subscriptions", "doctor", "credits"),
    "try": ("serve", "sandbox"),
    "build": ("export", "new", "check", "mcp"),
}
"""The commands as the help groups them. Each is a module beside this one (`arguments`, `run`) and a message
(`command_<name>`); each group is a message too (`commands_<group>`)."""

LISTS = ("actions", "triggers", "lookups")
