const inner = answer?.data ?? answer;
const area = (entry, place) => entry.area ?? entry.bereich ?? entry.name ?? String(place + 1);
const entries = Array.isArray(inner)
  ? inner.map((entry, place) => [area(entry, place), entry])
  : Object.entries(inner).filter(([, entry]) => entry && typeof entry === 'object' && 'status' in entry);
const output = entries.map(([name, entry]) => ({ area: name, ...entry }));
