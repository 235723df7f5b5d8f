// The address in an answer whose form is not shown; null when none is set.
const webhookUrl = (z, answer, message) => {
  const inner = answer && typeof answer === 'object' && 'data' in answer ? answer.data : answer;
  if (inner === null || typeof inner === 'string') return inner || null;
  if ('webhook_url' in inner || 'url' in inner) return inner.webhook_url ?? inner.url ?? null;
  if (Object.keys(inner).length === 0) return null;
  throw new z.errors.Error(message, 'bad_reply', 502);
};
