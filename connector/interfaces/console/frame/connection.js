// A page that lost its connection says so and goes on where it was: what is typed meanwhile waits in the browser and is
// sent when the host is reached again. Only a host that does not know the page any more makes it load anew; drafts.js
// keeps what was typed.
(() => {
  const { title, more, health, ask, patience } = window.kontorConnection;

  window.addEventListener("load", () => {
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
        since = reached = 0;
        return;
      }
      since = since || Date.now();
      if (Date.now() - since < patience) return;
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
