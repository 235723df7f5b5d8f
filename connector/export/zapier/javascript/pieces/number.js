// Zapier carries numbers as doubles, which hold 15 digits: one with more would arrive changed.
const number = (z, value, message, tooLong) => {
  const written = text(value);
  if (!written) return undefined;
  if (!/^-?\d+(\.\d+)?$/.test(written)) refuse(z, message);
  const digits = written.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length > 15 ? refuse(z, tooLong) : Number(written);
};
