const turn = (items) =>
  items
    .filter((row) => ['inactive', 'disabled'].includes(row.status) || row.error_class)
    .map((row) => ({ ...row, _id: `${row.id}:${row.status}:${row.error_class ?? ''}:${berlinDay(new Date())}` }));
