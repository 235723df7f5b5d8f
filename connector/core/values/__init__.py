"""Exact values: amounts, ids, dates and JSON that keep every digit from the wire to the wire."""
