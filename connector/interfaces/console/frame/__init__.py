"""What every page is made of: its frame, widgets, questions, progress, and code to copy."""
