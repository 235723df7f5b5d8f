"""The driver for Temporal: a workflow for each key says when, activities on any number of machines do the work."""
