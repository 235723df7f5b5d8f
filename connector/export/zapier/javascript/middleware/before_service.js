// Only what goes to the service carries its key: a file may lie anywhere.
if (request.url.startsWith('/')) {
  request.url = bundle.authData.base_url.trim().replace(/\/+$/, '') + request.url;
  request.headers = { ...request.headers, 'x-api-key': bundle.authData.api_key, accept: 'application/json' };
  request.redirect = 'manual';
}
return request;
