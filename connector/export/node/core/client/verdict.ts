/** What an answer means: success, or the problem that tells a flow what to do next. Pure. */

import { proofOf, says } from '../answers/proof.ts';
import type { Pack } from '../manifest/pack.ts';
import type { Details, Say } from '../messages.ts';
import { Problem, problem, sayer } from '../messages.ts';
import type { Answer, Lost } from '../platform.ts';
import { readJson } from '../values/json.ts';
import { isObject } from '../values/value_kinds.ts';
import type { Call } from './request.ts';

/** What these say does not change by asking again, and each has its own remedy, whatever status it comes with. */
const CODES: Record<string, string> = {
	ledger_connection_invalid: 'reconnect_needed',
	ledger_export_service_missing: 'service_not_booked',
	ledger_endpoint_not_authorized: 'right_missing',
};
/** Characters of the service's own words that a message repeats. */
const MAX_SAID = 500;

/**
 * Whether the same call may leave again: a read whenever that may help, a write only if the service did not act, and
 * never one that a repeat would make twice.
 */
export function mayRepeat(call: Call, result: Answer | Lost, fromLimiter: boolean): boolean {
	if (call.once) return false;
	if ('lost' in result) return !call.writes || result.lost === 'never_sent';
	if (result.status === 429) return !call.writes || fromLimiter;
	return hasFailed(result.status) && !call.writes && kindOfCode(bodyOf(result.text)) === undefined;
}

/** The problem that a lost answer amounts to. */
export function problemOfLoss(say: Say, call: Pick<Call, 'writes'>, { lost, timedOut }: Lost, host: string): Problem {
	const why = say(timedOut ? 'why_timeout' : lost === 'never_sent' ? 'why_no_route' : 'why_dropped');
	if (lost === 'never_sent') {
		return problem(say, 'service_down', 'never_connected', { host, why }, { outcome: 'not_sent' });
	}
	if (call.writes) return problem(say, 'outcome_unknown', 'write_lost', { why }, { outcome: 'unknown' });
	return problem(say, 'service_down', 'answer_lost', { host, why }, { outcome: 'unknown' });
}

/** The problem that an answer amounts to which is no success. Of a write, only what the answer proves is believed. */
export function problemOfAnswer(pack: Pack, call: Call, { status, text }: Answer, fromLimiter: boolean): Problem {
	const say = sayer(pack.messages);
	const body = bodyOf(text);
	const said = saidIn(body) || say('nothing_said');
	const meant = meaning(pack, call, status, body, said);
	if (!call.writes) return meant;
	const proof = proofOf(pack, { status, body, said, fromLimiter });
	if (proof) return new Problem(meant.message, { ...meant, outcome: proof.told, proof: proof.basis });
	return unproven(say, meant, { status, body, said });
}

/** The problem of a success that names an error, or, of a write, nothing that was made. */
export function problemOfSuccess(pack: Pack, call: Call, { status, text }: Answer): Problem {
	const say = sayer(pack.messages);
	const body = bodyOf(text);
	const told = isObject(body) && isObject(body.data) && !('error' in body) ? body.data : body;
	const said = saidIn(told) || say('nothing_said');
	const meant = meaning(pack, call, status, body, said);
	return call.writes ? unproven(say, meant, { status, body, said }) : meant;
}

/** What is told of a write whose answer proves nothing; the remedy and the link of a ledger code are kept. */
function unproven(
	say: Say,
	{ remedy, reconnectUrl }: Problem,
	{ status, body, said }: { status: number; body: unknown; said: string },
): Problem {
	const success = status < 300 ? 'reply_says_nothing' : 'reply_redirects';
	const reason = hasFailed(status) ? 'write_failed' : status < 400 ? success : 'write_unproven';
	const ledgerAdvice = kindOfCode(body) ? { remedy, reconnectUrl, ledgerRemedy: remedy } : {};
	return problem(say, 'outcome_unknown', reason, { status, said }, { status, outcome: 'unknown', ...ledgerAdvice });
}

/** What an answer says, whether or not that can be believed of a write. */
function meaning(pack: Pack, call: Call, status: number, body: unknown, said: string): Problem {
	const say = sayer(pack.messages);
	const as = (kind: string, reason = kind, details: Partial<Details> = {}): Problem =>
		problem(say, kind, reason, { status, said }, { status, ...details });
	const coded = kindOfCode(body);
	if (coded) return as(coded, coded, detailsOfCode(say, coded, body));
	if (hasFailed(status)) return as('service_down', 'service_failed');
	if (status >= 300 && status < 400) return as('bad_reply', 'reply_redirects');
	const maySpeakOfKey = status < 300 || [400, 403].includes(status);
	if (status === 401 || (maySpeakOfKey && says(pack, 'api_key', said))) return as('key_refused');
	if (status === 402) return as('budget_held', 'credits_exhausted', { remedy: say('credits_exhausted_remedy') });
	if (status === 403 && !call.quelle)
		return as('right_missing', 'right_missing', { remedy: say('agency_scope_remedy') });
	if (status === 403 && !call.writes && !call.clientNamed) {
		// Without a client the default one is meant; without its export subscription reads answer a plain 403.
		return as('service_not_booked', 'service_not_booked', { remedy: say('default_client_remedy') });
	}
	if (status === 403) return as('right_missing');
	if (status === 404) return as('not_found');
	const hint = status === 400 || status === 422 ? wireHint(call, said) : undefined;
	return as('refused', 'refused', hint ? { remedy: say('wire_hint', { ...hint }) } : {});
}

/** A success whose body cannot be read: for a write, it is not certain what was done. */
export function unreadable(say: Say, call: Call, { status, headers }: Answer): Problem {
	const kind = (headers['content-type'] ?? 'no content type').split(';')[0];
	const details: Partial<Details> = { status, outcome: 'unknown' };
	return problem(say, call.writes ? 'outcome_unknown' : 'bad_reply', 'reply_unreadable', { status, kind }, details);
}

function hasFailed(status: number): boolean {
	return status >= 500 || status === 408;
}

function bodyOf(text: string): unknown {
	try {
		return text ? readJson(text) : undefined;
	} catch {
		return text.slice(0, MAX_SAID);
	}
}

function kindOfCode(body: unknown): string | undefined {
	const code = isObject(body) ? body.code : undefined;
	return typeof code === 'string' && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
}

function detailsOfCode(say: Say, kind: string, body: unknown): Partial<Details> {
	const { reconnectUrl, activeSubscriptions: booked } = isObject(body) ? body : {};
	if (kind === 'reconnect_needed' && typeof reconnectUrl === 'string') return { reconnectUrl };
	if (kind !== 'service_not_booked' || !Array.isArray(booked) || !booked.length) return {};
	return { remedy: say('service_not_booked_has', { booked: booked.join(', ') }) };
}

/** The service's own words; empty when it gave none. */
function saidIn(body: unknown): string {
	const words = isObject(body) ? [body.error, body.message] : [body];
	const texts = words.flatMap((word) => (typeof word === 'string' && word.trim() ? [word.trim()] : []));
	return texts[0]?.startsWith('<') ? '' : [...new Set(texts)].join(' – ').slice(0, MAX_SAID);
}

/** Where a message may name a parameter: in quotes, spelled like one, beside a word that announces one. */
const NAMED = [
	/['"`„“]([A-Za-z_][\w.-]*)['"`“”]/g,
	/\b([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\b/g,
	/\b(?:parameter|param|argument|field|property|feld)\b\W{0,3}([a-z_][\w.-]*)/gi,
	/\b([a-z_][\w.-]*)\b (?:is (?:required|missing)|fehlt|must be given)/gi,
	/\bmissing\b\W{0,2}([a-z_][\w.-]*)/gi,
];
const NO_NAMES = new Set(
	(
		'a an the is are was be must not and or in of for to with required missing query parameter parameters param ' +
		'body path header field value request invalid bad no fehlt der die das ein eine ist im'
	).split(' '),
);

export function wireHint(
	{ query, wireNames }: Call,
	said: string,
): { name: string; key: string; assumed: string } | undefined {
	const sent = new Set([...query.keys(), ...Object.values(wireNames)]);
	const named = NAMED.flatMap((pattern) => [...said.matchAll(pattern)].map(([, name = '']) => name));
	const name = named.find((one) => !NO_NAMES.has(one.toLowerCase()) && !sent.has(one));
	if (name === undefined) return undefined;
	const rated = Object.entries(wireNames).map(([key, assumed]) => {
		return { name, key, assumed, likeness: Math.max(likeness(name, key), likeness(name, assumed)) };
	});
	const [best] = rated.sort((one, other) => other.likeness - one.likeness);
	return best && { name, key: best.key, assumed: best.assumed };
}

/** How much of two names is alike, between 0 and 1. */
function likeness(one: string, other: string): number {
	return (2 * alike(one.toLowerCase(), other.toLowerCase())) / (one.length + other.length);
}

/** How many characters are in their longest common part, and in what lies before and behind it. */
function alike(one: string, other: string): number {
	let [length, here, there] = [0, 0, 0];
	for (let at = 0; at < one.length; at++) {
		while (at + length < one.length && other.includes(one.slice(at, at + length + 1))) {
			[length, here, there] = [length + 1, at, other.indexOf(one.slice(at, at + length + 1))];
		}
	}
	if (!length) return 0;
	const before = alike(one.slice(0, here), other.slice(0, there));
	return length + before + alike(one.slice(here + length), other.slice(there + length));
}
