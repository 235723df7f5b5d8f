const options = items
  .map((item) => (typeof item === 'string' ? { bezeichnung: item } : item))
  .map((item) => ({ value: item.id || item.bezeichnung, label: item.bezeichnung || item.id, hint: '' }))
  .filter((option) => option.value);
