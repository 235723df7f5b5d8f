if (inputs.method === 'GET' && inputs.body !== undefined) say('body_with_get', {});
Object.entries(inputs.query ?? {}).forEach(([key, value]) => {
  if (value !== null && typeof value === 'object') say('query_value', { key });
});
