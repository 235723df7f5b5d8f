const rank = (item) => `${item.status === 'connected' ? 0 : 1}${item.bezeichnung || '\uffff'}`;
const options = items
  .filter((item) => item.id)
  .sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
  .map((item) => ({ value: item.id, label: item.bezeichnung || item.id, hint: item.status ?? '' }));
