const inner = single(answer);
const set = inner.webhook_url ?? inner.url ?? (typeof inner.answer === 'string' ? inner.answer : undefined);
const output = set ? { webhook_url: set } : { answer };
