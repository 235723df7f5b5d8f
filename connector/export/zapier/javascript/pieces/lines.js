const lines = (value) => (Array.isArray(value) ? value : value ? [value] : []);
