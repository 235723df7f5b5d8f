/** Takes answers out of their envelopes. What cannot be understood is never read as empty. */

import { isPlainObject } from './form';
import { Problem, say } from './problem';
import type { Row } from './shapes';

function unexpected(why: string): Problem {
	return new Problem(say('reply_unexpected', { why }), { kind: 'bad_reply', remedy: say('bad_reply_remedy') });
}

export function itemsIn(reply: unknown): unknown[] {
	const found = isPlainObject(reply) ? (reply.data ?? reply.connections) : reply;
	if (Array.isArray(found)) return found;
	throw unexpected('no list');
}

export function rowsIn(reply: unknown): Row[] {
	return itemsIn(reply).filter(isPlainObject);
}

export function objectIn(reply: unknown): Row {
	if (isPlainObject(reply)) {
		const inner = 'data' in reply ? reply.data : reply;
		if (isPlainObject(inner)) return inner;
	}
	throw unexpected('no object');
}

export function webhookUrlIn(reply: unknown): string | null {
	let found = isPlainObject(reply) && 'data' in reply ? reply.data : reply;
	if (isPlainObject(found)) {
		const names = ['webhook_url', 'url'].filter((name) => name in (found as Row));
		if (!names.length && Object.keys(found).length) throw unexpected('no webhook URL');
		found = names.length ? found[names[0]] : null;
	}
	if (found === null || typeof found === 'string') return found || null;
	throw unexpected('no webhook URL');
}

/** The permission probe's entries, each naming its area. */
export function areasIn(reply: unknown): Row[] {
	const inner = isPlainObject(reply) && 'data' in reply ? reply.data : reply;
	if (Array.isArray(inner) && inner.every(isPlainObject)) {
		return inner.map((entry, place) => {
			const name = [entry.area, entry.bereich, entry.name].find((one) => typeof one === 'string');
			return { area: name ?? String(place + 1), ...entry };
		});
	}
	if (isPlainObject(inner)) {
		const entries = Object.entries(inner).filter(([, entry]) => isPlainObject(entry) && 'status' in entry);
		if (entries.length || !Object.keys(inner).length) {
			return entries.map(([area, entry]) => ({ area, ...(entry as Row) }));
		}
	}
	throw unexpected('no permission entries');
}
