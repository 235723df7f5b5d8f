// Leaves out what was not filled in, however deep; nothing at all is undefined.
const prune = (value) => {
  if (Array.isArray(value)) {
    const kept = value.map(prune).filter((item) => item !== undefined);
    return kept.length ? kept : undefined;
  }
  if (value !== null && typeof value === 'object') {
    const kept = Object.entries(value).map(([name, item]) => [name, prune(item)]);
    const filled = kept.filter(([, item]) => item !== undefined);
    return filled.length ? Object.fromEntries(filled) : undefined;
  }
  return value === '' || value === null ? undefined : value;
};
