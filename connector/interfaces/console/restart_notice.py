"""Says that the host is restarting while a page has lost it, and loads the page again as soon as it answers."""

from __future__ import annotations

import json
from string import Template

from nicegui import ui

from connector.interfaces.console.localizer import Localizer

ASK_SECONDS = 1.5
PATIENCE_SECONDS = 4.0
"""How long NiceGUI may take to connect again by itself before the page is loaded anew."""
# NiceGUI shows its popup while a connection is lost, but not when the page never had one. A host that was restarted
# does not know the page any more.
SCRIPT = Template(
    """<script>
window.addEventListener('load', () => {
  const popup = document.getElementById('popup');
  if (!popup) return;
  popup.setAttribute('role', 'alert');
  const [title, more] = popup.querySelectorAll('span');
  title.textContent = $title;
  more.textContent = $more;
  let since = 0;
  setInterval(async () => {
    if (popup.ariaHidden !== 'false' && window.socket?.connected) { since = 0; return; }
    since = since || Date.now();
    if (Date.now() - since < $patience) return;
    try {
      const answer = await fetch($health, { cache: 'no-store' });
      if (answer.ok && popup.ariaHidden === 'false') window.location.reload();
    } catch {
      popup.ariaHidden = 'false';
    }
  }, $ask);
});
</script>"""
)


def add_restart_notice(console_url: str, localize: Localizer) -> None:
    """Add the notice to the page that is being built; `console_url` is the console's path, with a slash at its end."""
    root = console_url.rstrip("/").rpartition("/")[0]
    texts = {"title": localize("restart_title"), "more": localize("restart_more"), "health": f"{root}/healthz"}
    quoted = {name: json.dumps(text).replace("</", "<\\/") for name, text in texts.items()}
    ui.add_head_html(SCRIPT.substitute(quoted, patience=int(PATIENCE_SECONDS * 1000), ask=int(ASK_SECONDS * 1000)))
