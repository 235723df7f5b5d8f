"""What a page of the console may load and run, and the mark (nonce) by which a browser knows the scripts of a page.

A script runs only if it comes from this host or carries the mark of its page, which nobody can know beforehand: text
that somebody smuggles into a page is no script. NiceGUI's page is a template, and its scripts are marked there, so that
nothing that is filled in is.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from typing import Any

from jinja2 import BaseLoader, Environment
from starlette.requests import HTTPConnection

from connector.interfaces.console.login.login_page import STYLE

NONCE = "kontor.nonce"
"""The name under which a request carries the mark of its page."""
MARKED = f'<script nonce="{{{{ request.scope.get("{NONCE}", "") }}}}"'
SECURITY_HEADERS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer a browser hides its own origin from us as well
    "x-robots-tag": "noindex",
}


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


LOGIN_POLICY = (
    f"default-src 'none'; style-src {_hash_of(STYLE)}; img-src data:; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)


def page_policy(nonce: str) -> str:
    """Return the policy of a page. NiceGUI compiles its pages in the browser, so `unsafe-eval` cannot be left out."""
    return (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'self'"
    )


def new_nonce() -> str:
    """Return a mark that nobody can guess."""
    return secrets.token_urlsafe(16)


def script(request: HTTPConnection, code: str) -> str:
    """Return a script of our own for the head of a page."""
    return f'<script nonce="{request.scope.get(NONCE, "")}">{code}</script>'


class MarkedScripts(BaseLoader):
    """Loads templates as another loader does, their scripts marked."""

    def __init__(self, loader: BaseLoader) -> None:
        self._loader = loader

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Return the source of a template."""
        source, name, is_fresh = self._loader.get_source(environment, template)
        return source.replace("<script", MARKED), name, is_fresh


def mark_scripts(templates: Any) -> None:
    """Have the scripts of these templates marked, from the next page on."""
    if not isinstance(templates.env.loader, MarkedScripts):
        templates.env.loader = MarkedScripts(templates.env.loader)
        templates.env.cache.clear()
