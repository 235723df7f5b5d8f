"""The pure middle: values, manifests, messages, errors and the client. It names no endpoint and keeps no state."""
