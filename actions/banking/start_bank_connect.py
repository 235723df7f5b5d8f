"""Reads the answer to starting a connect flow. It has succeeded, and its shape is not shown, so none is an error."""

from __future__ import annotations

from typing import Any

from connector.core.resources.envelopes import object_in


def shape(reply: Any) -> dict[str, Any]:
    """The answer's object as it came; a bare link or the like stands under `answer`."""
    try:
        return object_in(reply)
    except ValueError:
        return {"answer": reply}
