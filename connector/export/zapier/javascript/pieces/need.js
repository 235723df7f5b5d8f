const need = (z, inputs, messages) => {
  Object.entries(messages).forEach(([name, message]) => inputs[name] === undefined && refuse(z, message));
};
