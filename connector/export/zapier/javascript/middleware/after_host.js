// The host says by itself what happened and what to do.
if (response.request.raw) return response;
const { status } = response;
if (status < 300) {
  if (!String(response.content ?? '').trim()) response.data = {};
  if (response.data === undefined) throw new z.errors.Error(SENTENCES.bad_reply.join(' '), 'bad_reply', status);
  return response;
}
const problem = response.data ?? {};
const remedy = problem.remedy?.[LANGUAGE] ?? problem.remedy?.en;
const told = [problem.message ?? problem.detail ?? problem.title, remedy, problem.reconnect_url].filter(Boolean);
const words = told.join(' ') || fill(SENTENCES.refused[0], { status, said: NOTHING_SAID });
if (status === 429) {
  throw new z.errors.ThrottledError(words, Math.max(1, Number(response.getHeader('retry-after')) || 60));
}
if (problem.kind === 'key_refused') throw new z.errors.ExpiredAuthError(words);
throw new z.errors.Error(words, problem.kind ?? 'refused', status);
