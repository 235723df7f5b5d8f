const compact = (value) => value?.replace(/[\s.-]/g, '').toUpperCase();
