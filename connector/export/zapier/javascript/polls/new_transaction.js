const ask = { from_date: berlinDay(Date.now() - LOOK_BACK_DAYS * 86400000) };
const late = (row) => Date.parse(berlinDay(new Date(row.created_at))) - Date.parse(row.made_on) > 2 * 86400000;
const turn = (items) =>
  items
    .filter((row) => inputs.include_pending || row.status !== 'pending')
    .filter((row) => inputs.include_duplicates || row.duplicated !== true)
    .map((row) => ({ ...row, _id: row.id, _late: Boolean(row.created_at && row.made_on) && late(row) }))
    .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1));
