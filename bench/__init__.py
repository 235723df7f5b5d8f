"""Benchmarks, measured as ratios against bare libraries so that they are comparable between machines."""
