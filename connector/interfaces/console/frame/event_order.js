// Until a page is connected, NiceGUI lets each event wait by a timer of its own, and they go in any order: of an amount
// typed early, the host might keep a part. Here they wait in one line.
(() => {
  const setTimer = window.setTimeout.bind(window);
  let line = [];
  const advance = () => {
    const waited = line;
    line = [];
    for (const emit of waited) emit();
  };
  window.setTimeout = (handler, ...rest) => {
    if (handler?.name !== "delayed_emitter") return setTimer(handler, ...rest);
    if (line.push(handler) === 1) setTimer(advance, ...rest);
  };
})();
