const upper = (value) => value?.toUpperCase();
