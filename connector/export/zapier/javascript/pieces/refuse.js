// Ends the step before anything is sent.
const refuse = (z, message) => {
  throw new z.errors.Error(message, 'input', 400);
};
