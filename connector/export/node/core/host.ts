/** Asks a Kontor host, which checks, retries and remembers. What it refuses comes with what to do. */

import { problemOfLoss } from './client/verdict.ts';
import type { Field, Pack } from './manifest/pack.ts';
import { fieldAt } from './manifest/templates.ts';
import type { Details, Say } from './messages.ts';
import { Problem, sayer } from './messages.ts';
import type { Platform } from './platform.ts';
import { hostOf } from './values/addresses.ts';
import { readJson, writeJson } from './values/json.ts';
import type { Row } from './values/value_kinds.ts';
import { bytesOf, isObject, textOf } from './values/value_kinds.ts';

export interface Asked {
	method: string;
	/** The address of the host. */
	host: string;
	path: string;
	body?: Row;
	/** The form whose labels the inputs have. */
	fields?: Field[];
	/** It runs an action that writes. */
	writes?: boolean;
	timeout: number;
}

type Words = Pick<Pack, 'lang' | 'messages' | 'quelle'>;

/** Asks one host, with the credential that its `send` knows. */
export type Ask = (method: string, path: string, more?: Partial<Asked>) => Promise<Row>;

/** Milliseconds that a host has for whatever it does not have to ask the service for. */
const USUAL_TIMEOUT = 60_000;

export function hostAsker(send: Platform['send'], words: Words, host: string): Ask {
	return async (method, path, more = {}) =>
		await askHost(send, words, { method, host, path, timeout: USUAL_TIMEOUT, ...more });
}

export async function askHost(send: Platform['send'], words: Words, asked: Asked): Promise<Row> {
	const { method, host, path, body, fields, writes = false, timeout } = asked;
	const say = sayer(words.messages);
	const answer = await send({
		method,
		url: host.trim().replace(/\/+$/, '') + path,
		headers: {
			accept: 'application/json',
			'accept-language': words.lang,
			'x-kontor-quelle': words.quelle,
			...(body ? { 'content-type': 'application/json' } : {}),
		},
		...(body ? { body: writeJson(body) } : {}),
		timeout,
	});
	if ('lost' in answer) {
		const lost = problemOfLoss(say, { writes }, answer, hostOf(host));
		throw lost.kind === 'outcome_unknown' ? inDoubt(say, lost, body) : lost;
	}
	const answerBody = objectIn(answer.text);
	if (answer.status >= 200 && answer.status < 300 && answerBody) return answerBody;
	const told = problemOfHost(words, answerBody ?? {}, answer.status, fields);
	// Somebody between here and the host may have answered: what the host did is not known then.
	const isTold = answerBody?.outcome !== undefined || (answer.status >= 400 && answer.status < 500);
	throw writes && !isTold ? inDoubt(say, told, body) : told;
}

/** What a run gave; one that waits for the approval of another person gives which run that is, and until when. */
export function outputOf({ output, state, run, expires_at }: Row): unknown {
	return state === undefined ? output : { state, run, expires_at };
}

/** The host's own error; in the package's language where it speaks both, and with the field as the form calls it. */
export function problemOfHost({ lang, messages }: Words, error: Row, status: number, fields: Field[] = []): Problem {
	const say = sayer(messages);
	const kind = textOf(error.kind) || (status === 429 ? 'rate_limited' : 'refused');
	const said = [error.message, error.detail, error.title].map(textOf).find(Boolean) ?? say('nothing_said');
	const remedy = textOf(isObject(error.remedy) ? error.remedy[lang] : error.remedy);
	return new Problem(error.kind ? said : say('refused', { status, said }), {
		kind,
		reason: kind,
		status,
		remedy,
		outcome: (textOf(error.outcome) || 'refused') as Details['outcome'],
		field: textOf(error.field) || undefined,
		label: fieldAt(fields, textOf(error.field))?.label,
		reconnectUrl: textOf(error.reconnect_url) || undefined,
		retryAt: textOf(error.retry_at) || undefined,
	});
}

/** Under a key the host can be asked again; without one, a person must look. */
function inDoubt(say: Say, { message, reason, status }: Problem, body: Row = {}): Problem {
	const remedy = say(body.key === undefined ? 'outcome_unknown_remedy' : 'package_host_lost_remedy');
	return new Problem(message, { kind: 'outcome_unknown', reason, status, remedy, outcome: 'unknown' });
}

function objectIn(text: string): Row | undefined {
	try {
		const body = text.trim() ? readJson(text) : {};
		return isObject(body) ? body : undefined;
	} catch {
		return undefined;
	}
}

const VERSION = 'v1,';
const PREFIX = /^whsec_/;
/** Zapier puts this before the names of headers. */
const RENAMED = /^http-/;

/** The HMAC-SHA256 of a text's UTF-8, in base64. */
export type Hmac = (key: Uint8Array, text: string) => string;

export interface Delivery {
	headers: Row;
	/** The body to the letter. */
	body: string;
}

/** While a secret is replaced the host signs with both, so one of several signatures has to fit. Times are seconds. */
export function isGenuine(delivery: Delivery, secret: string, hmac: Hmac, now: number, tolerance: number): boolean {
	const named = Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), textOf(value)] as const);
	const headers = new Map(named.map(([name, value]) => [name.replace(RENAMED, ''), value]));
	const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`webhook-${name}`) ?? '');
	if (!secret || !id || !(Math.abs(now - Number(time || NaN)) <= tolerance)) return false;
	const key = bytesOf(secret.replace(PREFIX, ''));
	const expected = hmac(key, `${id}.${time}.${delivery.body}`);
	// The HMACs of both are compared, so that the time that it takes tells nothing of the signature.
	const signatures = (given ?? '').split(' ').filter((one) => one.startsWith(VERSION));
	return signatures.some((one) => hmac(key, one.slice(VERSION.length)) === hmac(key, expected));
}
