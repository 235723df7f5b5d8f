"""The one place that states Kontor's version."""

__version__ = "0.1.0"
