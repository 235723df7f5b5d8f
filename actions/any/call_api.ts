/** Builds a call to any path of the service. That the path stays below the base URL is its format's business. */

import type { ActionCode } from '../../connector/export/node/core/manifest/code.ts';
import type { Row } from '../../connector/export/node/core/values/value_kinds.ts';
import { isObject, textOf } from '../../connector/export/node/core/values/value_kinds.ts';

/** Where paths begin whose calls carry the label of the calling source. */
const LEDGER = '/v2/ledger-';

export const callApi: ActionCode = {
	check(inputs, refuse) {
		if (inputs.method === 'GET' && inputs.body !== undefined) refuse('body_with_get', 'body');
		for (const [key, value] of Object.entries((inputs.query ?? {}) as Row)) {
			const values = Array.isArray(value) ? value : [value];
			if (!values.every((one) => one === '' || textOf(one) !== '')) refuse('query_value', 'query', { key });
		}
	},

	request(inputs) {
		const [method, path] = [textOf(inputs.method), textOf(inputs.path)];
		return {
			method,
			path,
			query: inputs.query as Row | undefined,
			body: inputs.body,
			quelle: path.startsWith(LEDGER),
		};
	},

	/** The answer as it came; a bare list or value stands under `data`, as in the service's own envelopes. */
	shape: (reply) => (isObject(reply) ? reply : { data: reply }),
};
