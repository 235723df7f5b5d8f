"""`python -m tests.conformance` writes docs/conformance.md anew."""

from __future__ import annotations

from tests.conformance.document import DOCUMENT, document

if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
