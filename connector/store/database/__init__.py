"""The database itself: opening, writing, its clocks, locks and errors."""
