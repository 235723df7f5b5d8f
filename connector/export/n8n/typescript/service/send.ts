import type {
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { readJson, writeJson } from './exact';
import { Problem, say } from './problem';
import type { Call } from './request';
import { queryText } from './request';
import { problemOf, rateLimited, unreadable } from './verdict';

export type Context =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| IWebhookFunctions;

interface Answer {
	statusCode: number;
	headers: Record<string, string>;
	body: unknown;
}

const ATTEMPTS = 3;
const LONGEST_WAIT = 20_000;
const FIRST_PAUSE = 300;

/** Sends a call, and again only where that is safe: a read that failed, or anything that a 429 turned away. */
export async function send(context: Context, call: Call): Promise<unknown> {
	const address = baseUrl((await context.getCredentials('kontorApi')).baseUrl);
	for (let attempt = 1; ; attempt++) {
		const last = attempt === ATTEMPTS;
		let answer: Answer;
		try {
			answer = await request(context, address, call);
		} catch (error) {
			const problem = lost(call, error, address);
			if (last || (call.writes && problem.details.kind !== 'service_down')) return fail(problem);
			await sleep(pause(attempt));
			continue;
		}
		const status = answer.statusCode;
		if (status >= 200 && status < 300) return read(call, answer);
		if (status === 429) {
			const wait = toldPause(answer.headers) ?? pause(attempt);
			if (last || wait > LONGEST_WAIT) return fail(rateLimited(wait, answer.headers));
			await sleep(wait);
		} else if (!last && !call.writes && (status >= 500 || status === 408)) {
			await sleep(pause(attempt));
		} else {
			return fail(problemOf(call, status, parsed(bytes(answer.body))));
		}
	}
}

async function request(context: Context, address: string, call: Call): Promise<Answer> {
	const body = call.body === undefined ? undefined : writeJson(call.body);
	const answer: unknown = await context.helpers.httpRequestWithAuthentication.call(context, 'kontorApi', {
		method: call.method as IHttpRequestMethods,
		url: `${address}${call.path}${queryText(call.query)}`,
		headers: {
			accept: 'application/json',
			...call.headers,
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
		},
		...(body === undefined ? {} : { body: Buffer.from(body, 'utf8') }),
		encoding: 'arraybuffer',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: call.timeout,
	});
	return answer as Answer;
}

/** The key must not travel unencrypted, except on this machine. */
function baseUrl(given: unknown): string {
	const address = String(given ?? '').trim().replace(/\/+$/, '');
	if (/^https:\/\/[^/]/i.test(address)) return address;
	if (/^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/i.test(address)) return address;
	const message = address.startsWith('http://') ? say('base_url_plain_http') : say('base_url_invalid');
	throw new Problem(message, { kind: 'input', field: 'baseUrl', remedy: say('base_url_plain_http_remedy') });
}

function read(call: Call, answer: Answer): unknown {
	const text = bytes(answer.body);
	if (!text.trim()) return null;
	const value = parsed(text);
	if (value === undefined) throw unreadable(call, answer.statusCode, answer.headers['content-type']);
	return value;
}

function parsed(text: string): unknown {
	try {
		return readJson(text);
	} catch {
		return undefined;
	}
}

function bytes(body: unknown): string {
	if (typeof body === 'string') return body;
	return Buffer.from((body ?? '') as Buffer).toString('utf8');
}

/** Nothing came back: whether the service saw the request decides what that means. */
function lost(call: Call, error: unknown, address: string): Problem {
	const codes = JSON.stringify([error, (error as Error).message, (error as { cause?: unknown }).cause]) ?? '';
	const never = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_INVALID_URL/.test(codes);
	const slow = /ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|timeout/i.test(codes);
	const host = address.replace(/^https?:\/\//, '');
	if (never) {
		const message = say('never_connected', { host, why: say('why_no_route') });
		return new Problem(message, { kind: 'service_down', remedy: say('service_down_remedy') });
	}
	const why = slow ? say('why_timeout') : say('why_dropped');
	if (call.writes) {
		return new Problem(say('write_lost', { why }), { kind: 'outcome_unknown', remedy: say('outcome_unknown_remedy') });
	}
	return new Problem(say('answer_lost', { host, why }), { kind: 'service_down', remedy: say('service_down_remedy') });
}

function fail(problem: Problem): never {
	throw problem;
}

function pause(attempt: number): number {
	return FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** When a 429 says to come back, in milliseconds. */
function toldPause(headers: Record<string, string>): number | undefined {
	for (const name of ['retry-after', 'ratelimit-reset']) {
		const told = headers[name];
		if (told === undefined) continue;
		const seconds = Number(told);
		if (Number.isFinite(seconds)) {
			const moment = seconds > 1e9 ? seconds * 1000 - Date.now() : seconds * 1000;
			return Math.max(50, moment);
		}
		const moment = Date.parse(told);
		if (!Number.isNaN(moment)) return Math.max(50, moment - Date.now());
	}
	return undefined;
}
