"""Lint of packages that no platform is there to judge: rules in our own words, and the vendors' schemas."""
