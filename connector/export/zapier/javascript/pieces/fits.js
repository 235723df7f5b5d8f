// A text that must look like something.
const fits = (z, value, pattern, message) =>
  value === undefined || new RegExp(pattern).test(value) ? value : refuse(z, message);
