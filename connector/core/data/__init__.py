"""How manifests point into data and how data is shown: fields, templates, answers, options, events, prices."""
