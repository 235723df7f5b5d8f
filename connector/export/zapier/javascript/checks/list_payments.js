const { created_from: first, created_to: last, sort = 'date' } = inputs;
if (first && last && first > last) {
  const days = Math.round((Date.parse(first) - Date.parse(last)) / 86400000);
  say('dates_reversed', { created_from: first, created_to: last, days });
}
if (inputs.from_id !== undefined && sort !== 'id') say('cursor_needs_order', { sort });
