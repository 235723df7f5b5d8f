const between = (z, value, least, most, message) =>
  value === undefined || ((least === null || value >= least) && (most === null || value <= most))
    ? value
    : refuse(z, message);
