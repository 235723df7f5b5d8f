"""What may be sent and spent: rate windows, credits and budgets."""
