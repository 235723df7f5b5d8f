// A decimal as a whole number of units of 10^-20: sums of doubles would be off by a cent now and then.
const exact = (value) => {
  const [, sign, before, after = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value));
  return BigInt(sign + before + after.padEnd(20, '0'));
};
