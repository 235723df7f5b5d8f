/** What an answer that is no success means, and what to do about it. */

import { isPlainObject } from './form';
import { Problem, say } from './problem';
import type { Call } from './request';

const MOST_SAID = 500;

export function problemOf(call: Call, status: number, body: unknown): Problem {
	const said = saidIn(body);
	const coded = problemOfCode(body, said, status);
	if (coded) return coded;
	if (status >= 500 || status === 408) {
		if (call.writes) return unknownOutcome(say('write_failed', { status, said }), status);
		return new Problem(say('service_failed', { status, said }), {
			kind: 'service_down',
			status,
			remedy: say('service_down_remedy'),
		});
	}
	if (status < 400) {
		const message = say('reply_redirects', { status });
		if (call.writes && ![301, 307, 308].includes(status)) return unknownOutcome(message, status);
		return new Problem(message, { kind: 'bad_reply', status, remedy: say('bad_reply_remedy') });
	}
	switch (status) {
		case 401:
			return new Problem(say('key_refused', { said }), {
				kind: 'key_refused',
				status,
				remedy: say('key_refused_remedy'),
			});
		case 402:
			return new Problem(say('credits_exhausted', { said }), {
				kind: 'budget_held',
				status,
				remedy: say('credits_exhausted_remedy'),
			});
		case 403:
			return forbidden(call, said);
		case 404:
			return new Problem(say('not_found', { said }), { kind: 'not_found', status, remedy: say('not_found_remedy') });
		default:
			return new Problem(say('refused', { status, said }), {
				kind: 'refused',
				status,
				remedy: wireHint(call, status, said) ?? say('refused_remedy'),
			});
	}
}

export function rateLimited(wait: number, headers: Record<string, string>): Problem {
	const at = new Date(Date.now() + wait);
	const until = at.toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin' });
	const limit = headers['ratelimit-limit'] ?? '200';
	return new Problem(say('rate_limited', { limit, minutes: 15, until }), {
		kind: 'rate_limited',
		status: 429,
		retryAt: at.toISOString(),
		remedy: say('rate_limited_remedy'),
	});
}

/** A success whose body cannot be read: for a write, it is not certain what was done. */
export function unreadable(call: Call, status: number, type: string | undefined): Problem {
	const message = say('reply_unreadable', { status, kind: (type ?? '?').split(';')[0] });
	if (call.writes) return unknownOutcome(message, status);
	return new Problem(message, { kind: 'bad_reply', status, remedy: say('bad_reply_remedy') });
}

function unknownOutcome(message: string, status: number): Problem {
	return new Problem(message, { kind: 'outcome_unknown', status, remedy: say('outcome_unknown_remedy') });
}

/** The three ledger codes have three different remedies, whatever status they come with. */
function problemOfCode(body: unknown, said: string, status: number): Problem | undefined {
	if (!isPlainObject(body)) return undefined;
	switch (body.code) {
		case 'ledger_connection_invalid':
			return new Problem(say('reconnect_needed', { said }), {
				kind: 'reconnect_needed',
				status,
				remedy: say('reconnect_needed_remedy'),
				reconnectUrl: typeof body.reconnectUrl === 'string' ? body.reconnectUrl : undefined,
			});
		case 'ledger_export_service_missing': {
			const booked = Array.isArray(body.activeSubscriptions) ? body.activeSubscriptions.join(', ') : '';
			return new Problem(say('service_not_booked', { said }), {
				kind: 'service_not_booked',
				status,
				remedy: booked ? say('service_not_booked_has', { booked }) : say('service_not_booked_remedy'),
			});
		}
		case 'ledger_endpoint_not_authorized':
			return new Problem(say('right_missing', { said }), {
				kind: 'right_missing',
				status,
				remedy: say('right_missing_remedy'),
			});
		default:
			return undefined;
	}
}

function forbidden(call: Call, said: string): Problem {
	const status = 403;
	if (!call.ledger) {
		const remedy = say('agency_scope_remedy');
		return new Problem(say('right_missing', { said }), { kind: 'right_missing', status, remedy });
	}
	if (!call.writes && !call.clientNamed) {
		const remedy = say('default_client_remedy');
		return new Problem(say('service_not_booked', { said }), { kind: 'service_not_booked', status, remedy });
	}
	return new Problem(say('right_missing', { said }), {
		kind: 'right_missing',
		status,
		remedy: say('right_missing_remedy'),
	});
}

function saidIn(body: unknown): string {
	const words = isPlainObject(body) ? [body.error, body.message] : [body];
	const texts = words.filter((one): one is string => typeof one === 'string' && one.trim() !== '');
	if (!texts.length || texts[0].startsWith('<')) return say('nothing_said');
	return [...new Set(texts)].join(' – ').slice(0, MOST_SAID);
}

/** If the service asks for a parameter that is called otherwise here: which name to set at the next export. */
function wireHint(call: Call, status: number, said: string): string | undefined {
	if (status !== 400 && status !== 422) return undefined;
	const sent = new Set([...call.query.map(([name]) => name), ...Object.values(call.wireNames)]);
	const asked = [...said.matchAll(/\b([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\b/g)]
		.map(([name]) => name)
		.find((name) => !sent.has(name));
	const assumed = Object.entries(call.wireNames);
	if (!asked || !assumed.length) return undefined;
	const [key, name] = assumed.find(([, one]) => shares(one, asked)) ?? assumed[0];
	return say('wire_hint', { name: asked, key, assumed: name });
}

function shares(one: string, other: string): boolean {
	return one.split('_').some((part) => part.length > 2 && other.toLowerCase().includes(part.toLowerCase()));
}
