"""Answers as tables, charts and figures under the inputs that they were read with."""
