const names = new Map();
items
  .filter((item) => item.connection_id)
  .forEach((item) => names.set(item.connection_id, names.get(item.connection_id) || item.provider_name || ''));
const options = [...names]
  .map(([id, name]) => ({ value: id, label: name || id, hint: id }))
  .sort((one, other) => (one.label.toLowerCase() < other.label.toLowerCase() ? -1 : 1));
