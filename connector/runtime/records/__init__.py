"""What a process counts and records while it runs: credits, rate windows, reads, refusals, signs of life."""
