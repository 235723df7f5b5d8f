const turn = (items) =>
  items.flatMap((row) => {
    if (!row.consent_expires_at) return [];
    const ends = berlinDay(new Date(row.consent_expires_at));
    const left = Math.round((Date.parse(ends) - Date.parse(berlinDay(new Date()))) / 86400000);
    return left <= inputs.days ? [{ ...row, _id: `${row.id}:${ends}`, _days_left: left }] : [];
  });
