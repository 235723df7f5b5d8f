"""What keeps strangers and greedy callers from stalling the host: guards of heads, connections and bodies."""
