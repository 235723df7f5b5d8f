const limit = (z, value, most, message) =>
  value === undefined || value.length <= most ? value : refuse(z, fill(message, { length: value.length }));
