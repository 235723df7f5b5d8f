const turn = (items) => byNewest(items).map((row) => ({ ...row, _id: row.id }));
