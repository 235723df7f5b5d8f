const label = inputs.path.startsWith('/v2/ledger-') ? { quelle: QUELLE } : {};
const request = { method: inputs.method, url: inputs.path, params: { ...inputs.query, ...label }, body: inputs.body };
