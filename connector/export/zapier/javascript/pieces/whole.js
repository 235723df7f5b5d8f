const whole = (z, value, message) => {
  const written = text(value);
  if (!written) return undefined;
  return /^-?\d{1,15}(\.0+)?$/.test(written) ? Number(written) : refuse(z, message);
};
