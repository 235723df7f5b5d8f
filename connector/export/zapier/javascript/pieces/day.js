// A plain date. Midnight is what a platform makes of one; any other time of day would be a guess about the day.
const day = (z, value, message) => {
  const plain = text(value)?.replace(/T00:00(:00(\.0+)?)?(Z|[+-]00:?00)?$/, '');
  if (!plain) return undefined;
  const real = /^\d{4}-\d{2}-\d{2}$/.test(plain) && !Number.isNaN(Date.parse(plain));
  return real && new Date(plain).toISOString().startsWith(plain) ? plain : refuse(z, message);
};
