const turn = (items) =>
  items
    .filter((row) => row.status && (inputs.status === undefined || row.status === inputs.status))
    .map((row) => ({ ...row, _id: `${row.id}:${row.status}` }))
    .sort((one, other) => (String(one.updated_at) < String(other.updated_at) ? 1 : -1));
