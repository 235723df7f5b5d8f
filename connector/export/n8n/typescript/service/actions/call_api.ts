import { complaint } from '../complain';
import { isPlainObject } from '../form';
import type { Inputs, OwnRequest, Row } from '../shapes';

export function check(inputs: Inputs): void {
	if (inputs.method === 'GET' && inputs.body !== undefined) throw complaint('call_api', 'body_with_get', 'body');
	for (const [key, value] of Object.entries((inputs.query ?? {}) as Row)) {
		const values = Array.isArray(value) ? value : [value];
		if (values.some((one) => one === null || typeof one === 'object')) {
			throw complaint('call_api', 'query_value', 'query', { key });
		}
	}
}

export function request(inputs: Inputs): OwnRequest {
	const path = String(inputs.path);
	return {
		method: String(inputs.method),
		path,
		query: (inputs.query ?? {}) as Row,
		body: inputs.body,
		ledger: path.startsWith('/v2/ledger-'),
	};
}

export function shape(reply: unknown): Row {
	return isPlainObject(reply) ? reply : { data: reply };
}
