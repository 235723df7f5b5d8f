"""The login page: plain HTML, because assets require a login."""

from __future__ import annotations

from html import escape

from connector.interfaces.console.localizer import Localizer

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: light-dark(#f5f6f6, #15191b); color: light-dark(#1d2529, #e4e8e9); }
main { width: min(24rem, calc(100vw - 4rem)); padding: 1.75rem; border-radius: 8px;
  background: light-dark(#fff, #1d2326); border: 1px solid light-dark(#dce1e3, #30383c); }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input { width: 100%; box-sizing: border-box; font: inherit; padding: .55rem .7rem; border-radius: 5px;
  border: 1px solid light-dark(#9aa7ad, #5a676d); background: transparent; color: inherit; }
button { margin-top: 1rem; width: 100%; font: inherit; font-weight: 600; padding: .6rem; border: 0; border-radius: 5px;
  background: #14545c; color: #fff; cursor: pointer; }
:focus-visible { outline: 3px solid #3aa0ab; outline-offset: 2px; }
.refused { color: light-dark(#a3271d, #ff9c92); }
"""


def login_form(localize: Localizer, path: str, *, refused: bool = False, wait_seconds: int = 0) -> str:
    """Render the login form; `refused` shows that the last token was wrong, `wait_seconds` that there were too many."""
    words = localize("login_refused") if refused else localize("login_wait", seconds=wait_seconds)
    error = f'<p class="refused" role="alert">{escape(words)}</p>' if refused or wait_seconds else ""
    return _page(
        localize,
        f"""<h1>{escape(localize("login_title"))}</h1><p>{escape(localize("login_help"))}</p>{error}
<form method="post" action="{escape(path)}/login"><label for="token">{escape(localize("login_label"))}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>{escape(localize("login_button"))}</button></form>""",
    )


def link_form(localize: Localizer, path: str, token: str) -> str:
    """Render the page of a one-time link: a button redeems it, so that a preview of the link does not."""
    return _page(
        localize,
        f"""<h1>{escape(localize("login_title"))}</h1><p>{escape(localize("login_link_help"))}</p>
<form method="post" action="{escape(path)}/login"><input type="hidden" name="token" value="{escape(token)}">
<button autofocus>{escape(localize("login_button"))}</button></form>""",
    )


def redirect_page(localize: Localizer, path: str) -> str:
    """Render a page that redirects to the console."""
    target = escape(f"{path}/")
    return _page(
        localize,
        f'<h1>Kontor</h1><p><a href="{target}">{escape(localize("login_welcome"))}</a></p>',
        head=f'<meta http-equiv="refresh" content="0; url={target}">',
    )


def _page(localize: Localizer, body: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="{localize.lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<link rel='icon' href='data:,'>{head}<title>Kontor</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>"
    )
