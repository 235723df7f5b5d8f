"""Forms made from manifests: fields, lists of lines, dropdowns, days, drafts, and the run of a filled form."""
