"""What cannot be declared in a manifest, one module each, by area: `x.py` for Python, `x.ts` for Node platforms."""
