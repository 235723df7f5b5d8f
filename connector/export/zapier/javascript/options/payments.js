const options = items
  .filter((item) => item.id)
  .map((item) => {
    const label = [item.creditor_name, money(item.amount, item.currency_code)].filter(Boolean).join(', ');
    const hint = [item.status, (item.created_at ?? '').slice(0, 10)].filter(Boolean).join(', ');
    return { value: item.id, label: label || item.id, hint };
  });
