// Every answer by its consequence, in the same words as Kontor's own.
if (response.request.raw) return response;
const empty = !String(response.content ?? '').trim();
const { status } = response;
const writes = response.request.method !== 'GET';
const end = (kind, values) => {
  const [message, remedy] = SENTENCES[kind];
  const told = [fill(message, { status, said, ...values }), fill(remedy, values ?? {}), values?.link].filter(Boolean);
  throw new z.errors.Error(told.join(' '), kind, status);
};
const body = response.data;
const words = [body?.error, body?.message].filter((word) => typeof word === 'string' && word.trim());
const said = [...new Set(words)].join(' – ').slice(0, 500) || NOTHING_SAID;
if (status < 300) {
  if (empty) response.data = {};
  if (response.data === undefined) end(writes ? 'outcome_unknown' : 'bad_reply');
  return response;
}
if (body?.code === 'ledger_connection_invalid') end('reconnect_needed', { link: body.reconnectUrl });
if (body?.code === 'ledger_export_service_missing') {
  const booked = (body.activeSubscriptions ?? []).join(', ');
  end(booked ? 'service_not_booked_has' : 'service_not_booked', { booked });
}
if (body?.code === 'ledger_endpoint_not_authorized') end('right_missing');
if (status === 429) {
  const given = Number(response.getHeader('retry-after') ?? response.getHeader('ratelimit-reset') ?? 60);
  const seconds = given > 1e9 ? given - Date.now() / 1000 : given;
  const [message, remedy] = SENTENCES.rate_limited;
  throw new z.errors.ThrottledError(`${message} ${remedy}`, Math.max(1, Math.ceil(seconds || 60)));
}
if (status === 401) throw new z.errors.ExpiredAuthError(SENTENCES.key_refused.map((one) => fill(one, { said })).join(' '));
if (status >= 500 || status === 408) end(writes ? 'outcome_unknown' : 'service_down');
if (status === 402) end('credits_exhausted');
if (status === 403) end('right_missing');
if (status === 404) end('not_found');
if (status < 400) end('bad_reply');
return end('refused');
