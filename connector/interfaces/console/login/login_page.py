"""The pages by which people get in: sign-in, one-time link, invitation. Plain HTML, because assets require a login."""

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
label { display: block; font-weight: 600; margin: .75rem 0 .25rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.second { background: transparent; color: inherit; border: 1px solid light-dark(#9aa7ad, #5a676d); }
details { margin-top: 1rem; }
summary { cursor: pointer; }
.more { margin: 1.25rem 0 0; }
input { width: 100%; box-sizing: border-box; font: inherit; padding: .55rem .7rem; border-radius: 5px;
  border: 1px solid light-dark(#9aa7ad, #5a676d); background: transparent; color: inherit; }
button { margin-top: 1rem; width: 100%; font: inherit; font-weight: 600; padding: .6rem; border: 0; border-radius: 5px;
  background: #14545c; color: #fff; cursor: pointer; }
:focus-visible { outline: 3px solid #3aa0ab; outline-offset: 2px; }
.refused { color: light-dark(#a3271d, #ff9c92); }
"""


def login_form(localize: Localizer, path: str, *, target: str = "", refused: str = "", name: str = "") -> str:
    """Render the sign-in form; `target` is where it leads to, `refused` says why the last attempt failed."""
    hidden = f'<input type="hidden" name="from" value="{escape(target)}">' if target else ""
    return _page(
        localize,
        f"""<h1>{escape(localize("login_title"))}</h1>{_refusal(refused)}
<form method="post" action="{escape(path)}/login">{hidden}
{_field(localize, "login_name", "name", "username", value=name, focus=True)}
{_field(localize, "login_passphrase", "passphrase", "current-password", secret=True)}
<details><summary>{escape(localize("login_workspace_summary"))}</summary>
{_field(localize, "login_workspace", "workspace", "organization", required=False)}</details>
<button>{escape(localize("login_button"))}</button></form>
<h2>{escape(localize("login_token_summary"))}</h2>
<form method="post" action="{escape(path)}/login">{hidden}<p>{escape(localize("login_token_help"))}</p>
{_field(localize, "login_token", "token", "off", secret=True)}
<button class="second">{escape(localize("login_token_button"))}</button></form>
<p class="more">{escape(localize("login_help"))}</p>""",
    )


def link_form(localize: Localizer, path: str, token: str) -> str:
    """Render the page of a one-time link: a button redeems it, so that a preview of the link does not."""
    return _page(
        localize,
        f"""<h1>{escape(localize("login_title"))}</h1><p>{escape(localize("login_link_help"))}</p>
<form method="post" action="{escape(path)}/login"><input type="hidden" name="token" value="{escape(token)}">
<button autofocus>{escape(localize("login_link_button"))}</button></form>""",
    )


def invitation_form(localize: Localizer, path: str, code: str, name: str, refused: str = "") -> str:
    """Render the page on which whoever was invited chooses a passphrase."""
    return _page(
        localize,
        f"""<h1>{escape(localize("invitation_title", name=name))}</h1>
<p>{escape(localize("invitation_help"))}</p>{_refusal(refused)}
<form method="post" action="{escape(path)}/invitation"><input type="hidden" name="code" value="{escape(code)}">
<input type="hidden" name="name" value="{escape(name)}" autocomplete="username">
{_field(localize, "invitation_passphrase", "passphrase", "new-password", secret=True, focus=True)}
{_field(localize, "invitation_again", "again", "new-password", secret=True)}
<button>{escape(localize("invitation_button"))}</button></form>""",
    )


def notice_page(localize: Localizer, title: str, words: str, target: str, link: str) -> str:
    """Render a page that says something, with one link that leads on."""
    return _page(
        localize,
        f'<h1>{escape(title)}</h1><p>{escape(words)}</p><p><a href="{escape(target)}">{escape(link)}</a></p>',
    )


def redirect_page(localize: Localizer, target: str) -> str:
    """Render a page that redirects to a page of the console."""
    return _page(
        localize,
        f'<h1>Kontor</h1><p><a href="{escape(target)}">{escape(localize("login_welcome"))}</a></p>',
        head=f'<meta http-equiv="refresh" content="0; url={escape(target)}">',
    )


def _refusal(words: str) -> str:
    return f'<p class="refused" role="alert">{escape(words)}</p>' if words else ""


def _field(
    localize: Localizer,
    label: str,
    name: str,
    completion: str,
    *,
    value: str = "",
    secret: bool = False,
    required: bool = True,
    focus: bool = False,
) -> str:
    kind, marks = "password" if secret else "text", " required" * required + " autofocus" * focus
    return (
        f'<label for="{name}">{escape(localize(label))}</label><input id="{name}" name="{name}" type="{kind}" '
        f'value="{escape(value)}" autocomplete="{completion}"{marks}>'
    )


def _page(localize: Localizer, body: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="{localize.lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<link rel='icon' href='data:,'>{head}<title>Kontor</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>"
    )
