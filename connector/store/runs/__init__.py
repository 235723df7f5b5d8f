"""What was run: writes, reads, approvals, payments, and what keeps a write from being made twice."""
