// The opposite of `exact`: with as many decimals as needed, two at least.
const shown = (units) => {
  const digits = (units < 0n ? -units : units).toString().padStart(21, '0');
  const after = digits.slice(-20).replace(/0+$/, '').padEnd(2, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -20)}.${after}`;
};
