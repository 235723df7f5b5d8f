// An amount as an option shows it; what is no amount shows as nothing.
const money = (amount, currency) =>
  /^-?\d+(\.\d+)?$/.test(String(amount)) ? `${shown(exact(amount))} ${currency ?? ''}`.trim() : '';
