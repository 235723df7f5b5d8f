/** Asks the Kontor host. It checks, retries and journals; what it refuses comes back with a remedy. */

import { readJson, writeJson } from '../core/json';
import { Problem, problem } from '../core/messages';
import type { Row } from '../core/types';
import { isObject } from '../core/values';
import { PACK } from '../pack';
import type { Context } from './platform';
import { send } from './platform';
import { say } from './problem';

export async function ask(context: Context, method: string, path: string, body?: Row, timeout = 60_000): Promise<Row> {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('kontorApi');
	const host = baseUrl.trim().replace(/\/+$/, '');
	const answer = await send(context, {
		method,
		url: host + path,
		headers: {
			accept: 'application/json',
			'accept-language': PACK.lang,
			...(body ? { 'content-type': 'application/json' } : {}),
		},
		...(body ? { body: writeJson(body) } : {}),
		timeout,
	});
	if ('lost' in answer) {
		const isUnsent = answer.lost === 'never_sent';
		const why = say(answer.timedOut ? 'why_timeout' : isUnsent ? 'why_no_route' : 'why_dropped');
		const details = { outcome: isUnsent ? 'not_sent' : 'unknown' } as const;
		throw problem(say, 'service_down', isUnsent ? 'never_connected' : 'answer_lost', { host, why }, details);
	}
	const value = parsed(answer.text);
	if (answer.status >= 200 && answer.status < 300) return value;
	throw refusal(answer.status, value);
}

/** The host's error, which already says what to do; in the package's language where it speaks both. */
function refusal(status: number, body: Row): Problem {
	const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
	const kind = text(body.kind) ?? 'refused';
	return new Problem(text(body.message) ?? text(body.detail) ?? text(body.title) ?? `HTTP ${status}`, {
		kind,
		reason: kind,
		status,
		outcome: (text(body.outcome) ?? 'refused') as Problem['outcome'],
		remedy: text(isObject(body.remedy) ? body.remedy[PACK.lang] : body.remedy) ?? '',
		field: text(body.field),
		reconnectUrl: text(body.reconnect_url),
		retryAt: text(body.retry_at),
	});
}

function parsed(text: string): Row {
	try {
		const value = readJson(text);
		return isObject(value) ? value : {};
	} catch {
		return {};
	}
}
