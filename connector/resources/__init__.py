"""Every resource of the service as a model: typed where it is described, tolerant where the service surprises.

Start with `connector.resources.model` for the rules, `connector.resources.envelopes` for whole answers. The models live
in `ledger`, `accounting`, `person_account`, `banking`, `mobility`, `events` and `errors`; import them from there, so
that a program builds only the models it uses.
"""
