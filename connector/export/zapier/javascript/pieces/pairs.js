const pairs = (z, value, message) => {
  if (typeof value !== 'string' || !value.trim()) return value || undefined;
  try {
    return JSON.parse(value);
  } catch (error) {
    return refuse(z, message);
  }
};
