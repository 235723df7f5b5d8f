// Only what goes to the host carries its token and the service's key: a file may lie anywhere.
if (request.url.startsWith('/')) {
  request.url = bundle.authData.host_url.trim().replace(/\/+$/, '') + request.url;
  request.headers = {
    ...request.headers,
    authorization: `Bearer ${bundle.authData.host_token}`,
    'x-api-key': bundle.authData.api_key,
    'x-kontor-quelle': QUELLE,
    accept: 'application/json',
    'accept-language': LANGUAGE,
  };
  request.redirect = 'manual';
}
return request;
