"""A write, made at most once: `write.py` is the procedure, the rest is what it asks."""
