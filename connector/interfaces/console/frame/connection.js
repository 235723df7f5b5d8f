// A page that lost its connection says so and goes on where it was: what is typed meanwhile waits in the browser and is
// sent when the host is reached again. Only a host that does not know the page any more makes it load anew, and then
// what was typed is written again.
(() => {
  const { title, more, health, ask, patience } = window.kontorConnection;
  const place = `typed ${location.pathname}${location.search}`;
  const TEXTS = "main textarea, main input:not([type=password], [type=file], [type=checkbox], [type=radio], [role=combobox])";
  const typed = new Set();
  let lost = false;

  const fields = () => [...document.querySelectorAll(TEXTS)];
  const nameOf = (field) => field.getAttribute("aria-label") || field.labels?.[0]?.textContent || field.name;
  const write = (field, text) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };

  document.addEventListener("input", (event) => event.isTrusted && typed.add(event.target), true);

  // Of several fields with one name, as in lines, the first is the first again.
  const numbered = (all) => {
    const counts = {};
    return all.map((field) => {
      const name = nameOf(field);
      counts[name] = (counts[name] ?? -1) + 1;
      return [`${name} ${counts[name]}`, field];
    });
  };
  const keep = () => {
    const kept = numbered(fields()).filter(([, field]) => typed.has(field) && field.value);
    if (kept.length) sessionStorage.setItem(place, JSON.stringify(kept.map(([name, field]) => [name, field.value])));
  };
  const restore = (kept, until) => {
    const there = new Map(numbered(fields()));
    const open = window.did_handshake ? kept.filter(([name]) => !there.has(name)) : kept;
    if (window.did_handshake) {
      for (const [name, text] of kept) {
        const field = there.get(name);
        if (field && field.value !== text) write(field, text);
        if (field) typed.add(field);
      }
    }
    if (open.length && Date.now() < until) setTimeout(() => restore(open, until), 200);
  };

  window.addEventListener("pagehide", () => lost && keep());
  window.addEventListener("load", () => {
    const kept = JSON.parse(sessionStorage.getItem(place) || "[]");
    sessionStorage.removeItem(place);
    if (kept.length) restore(kept, Date.now() + 15000);
    const popup = document.getElementById("popup");
    if (!popup) return;
    popup.setAttribute("role", "alert");
    const [titleShown, moreShown] = popup.querySelectorAll("span");
    titleShown.textContent = title;
    moreShown.textContent = more;
    let since = 0;
    let reached = 0;
    setInterval(async () => {
      window.socket?.io.timeout(600000); // NiceGUI would load the page anew, also while no host can be reached
      if (popup.ariaHidden !== "false" && window.socket?.connected) {
        lost = false;
        since = reached = 0;
        return;
      }
      since = since || Date.now();
      if (Date.now() - since < patience) return;
      lost = true;
      try {
        const answer = await fetch(health, { cache: "no-store", signal: AbortSignal.timeout(ask * 2) });
        if (!answer.ok) return;
      } catch {
        reached = 0;
        popup.ariaHidden = "false";
        return;
      }
      if (!reached) {
        reached = Date.now();
        if (window.socket && !window.socket.connected) window.socket.disconnect().connect(); // now, not at its next turn
      } else if (Date.now() - reached > 2 * patience) {
        window.location.reload(); // the host is there and does not take the page
      }
    }, ask);
  });
})();
