"""Every resource of the service as a model: typed where it is described, tolerant where the service surprises.

Start with `model` for the rules, `envelopes` for whole answers. The models live in the other modules; import them from
there, so that a program builds only the models it uses.
"""
