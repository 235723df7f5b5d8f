const options = items
  .filter((item) => item.id)
  .map((item) => {
    const name = item.name || item.id;
    const iban_ = item.extra?.iban;
    return {
      value: item.id,
      label: iban_ ? `${name} (… ${iban_.slice(-4)})` : name,
      hint: money(item.balance, item.currency_code),
    };
  });
