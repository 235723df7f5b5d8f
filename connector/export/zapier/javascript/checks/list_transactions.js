const { from_date: first, to_date: last } = inputs;
if (!inputs.connection_id && !inputs.account_id) say('source_missing', {});
if (first && last && first > last) {
  const days = Math.round((Date.parse(first) - Date.parse(last)) / 86400000);
  say('dates_reversed', { from_date: first, to_date: last, days });
}
