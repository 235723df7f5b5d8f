"""Measurements as ratios, so that they mean the same on every machine."""
