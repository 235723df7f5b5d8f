const yes = (z, value, message) => {
  const written = text(value)?.toLowerCase();
  if (!written) return undefined;
  if (!['true', 'false', 'yes', 'no'].includes(written)) refuse(z, message);
  return written === 'true' || written === 'yes';
};
