// What is typed into a form is kept in the browser first: at once, whatever becomes of the connection, the host or the
// page. An entry belongs to a person in a workspace, to a form and to a tab; it holds what the host has taken (draft) and
// what was typed since, by the paths of the fields. Passwords and files are no part of it, nor fields outside of forms
// that are marked to be kept.
window.kontorDrafts = (() => {
  const { owner } = window.kontorConnection;
  const PREFIX = "kontor-draft|";
  const DAY = 86400000, KEPT = 7 * DAY, BEAT = 5000, SILENT = 150000;
  const TYPED = "[data-draft] textarea, [data-draft] input:not([type=password], [type=file], [type=checkbox], [type=radio], [role=combobox])";

  // A tab that was duplicated has the memory of the other one, which is still open.
  if (!sessionStorage.kontorTab || sessionStorage.kontorTabOpen === "yes") {
    sessionStorage.kontorTab = Math.random().toString(36).slice(2) + Date.now().toString(36);
  }
  sessionStorage.kontorTabOpen = "yes";
  const tab = sessionStorage.kontorTab;

  const keyOf = (form) => `${PREFIX}${owner}|${form}|${tab}`;
  const read = (key) => {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  };
  const write = (key, entry) => {
    try {
      localStorage.setItem(key, JSON.stringify(entry));
    } catch {} // the storage is full or closed to us: then the host alone keeps it
  };
  const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  const forgetAll = () => keys().forEach((key) => localStorage.removeItem(key));
  const isOld = (entry) => !entry || Date.now() - entry.at > KEPT;

  // Whoever else was signed in here is not seen by this person.
  for (const key of keys()) {
    if (!key.startsWith(`${PREFIX}${owner}|`) || isOld(read(key))) localStorage.removeItem(key);
  }
  const leaves = (event) => {
    const target = event.target.closest?.('a[href$="/leave"], form[action$="/leave"], [data-leaves]');
    if (target) forgetAll();
  };
  document.addEventListener("click", leaves, true);
  document.addEventListener("submit", leaves, true);

  const formOf = (field) => field.closest("[data-draft]")?.dataset.draft;
  const pathOf = (field) => field.closest("[data-path]")?.dataset.path;
  const at = (draft, path) => path.match(/[^.[\]]+/g).reduce((value, name) => value?.[name], draft);
  const mine = () => keys().filter((key) => key.startsWith(`${PREFIX}${owner}|`) && key.endsWith(`|${tab}`));
  const touch = (left) => {
    for (const key of mine()) {
      const entry = read(key);
      if (entry) write(key, { ...entry, left, seen: Date.now() });
    }
  };
  setInterval(() => touch(false), BEAT);
  window.addEventListener("pagehide", () => {
    touch(true);
    sessionStorage.kontorTabOpen = "no";
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    touch(false);
    sessionStorage.kontorTabOpen = "yes";
  });

  document.addEventListener(
    "input",
    (event) => {
      const field = event.target;
      if (!event.isTrusted || !field.matches?.(TYPED)) return;
      const form = formOf(field), path = pathOf(field);
      if (!form || !path) return;
      const entry = read(keyOf(form)) || { draft: null, typed: {} };
      entry.typed[path] = field.value;
      write(keyOf(form), { ...entry, at: Date.now(), seen: Date.now(), left: false });
    },
    true,
  );

  const fieldsAt = (form, path) => {
    const places = [...document.querySelectorAll(`[data-draft="${form}"] [data-path="${path}"]`)];
    return places.map((place) => (place.matches(TYPED) ? place : place.querySelector(TYPED))).filter(Boolean);
  };

  // Of a field that the host has filled itself since, what was typed before counts no longer.
  const stillTyped = (form, path, text, draft) => {
    if ((at(draft, path) ?? "") === text) return false;
    const fields = fieldsAt(form, path);
    return fields.length === 0 || fields.some((field) => field.value === text);
  };

  // Events that were under way when the connection broke never arrive: what the host has not taken is told again.
  const resend = () => {
    for (const key of mine()) {
      const form = key.split("|")[2];
      for (const [path, text] of Object.entries(read(key)?.typed || {})) {
        const field = fieldsAt(form, path).find((one) => one.value === text);
        const widget = field?.closest("[data-widget]")?.dataset.widget;
        if (widget) getElement(widget)?.$emit("update:value", text);
      }
    }
  };
  const wait = setInterval(() => {
    if (!window.socket) return;
    clearInterval(wait);
    window.socket.on("connect", resend);
  }, 100);

  return {
    save(form, draft) {
      const entry = read(keyOf(form)) || { typed: {} };
      const typed = Object.entries(entry.typed).filter(([path, text]) => stillTyped(form, path, text, draft));
      write(keyOf(form), { draft, typed: Object.fromEntries(typed), at: Date.now(), seen: Date.now(), left: false });
    },
    // What this tab has kept, else what a tab has left that is closed or elsewhere: that moves here.
    load(form) {
      const own = read(keyOf(form));
      if (own) return own;
      const others = keys()
        .filter((key) => key.startsWith(`${PREFIX}${owner}|${form}|`))
        .map((key) => [key, read(key)])
        .filter(([, entry]) => entry && (entry.left || Date.now() - entry.seen > SILENT))
        .sort(([, one], [, other]) => other.at - one.at);
      if (!others.length) return null;
      const [key, entry] = others[0];
      localStorage.removeItem(key);
      write(keyOf(form), { ...entry, left: false, seen: Date.now() });
      return entry;
    },
    forget(form) {
      localStorage.removeItem(keyOf(form));
    },
    forgetAll,
  };
})();
