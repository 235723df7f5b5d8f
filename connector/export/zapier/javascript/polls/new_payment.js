const turn = (items) =>
  items.map((row) => ({ ...row, _id: row.id })).sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1));
