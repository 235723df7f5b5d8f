import type {
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { readJson, writeJson } from './exact';
import { isPlainObject } from './form';
import { Problem, say } from './problem';
import type { Row } from './shapes';

export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions;

interface Answer {
	statusCode: number;
	body: Buffer;
}

const USUAL_TIMEOUT = 60_000;

/** Asks the Kontor host. It checks, retries and journals; what it refuses comes back with a remedy. */
export async function ask(
	context: Context,
	method: string,
	path: string,
	body?: Row,
	timeout = USUAL_TIMEOUT,
): Promise<Row> {
	const credentials = await context.getCredentials('kontorApi');
	let answer: Answer;
	try {
		answer = (await context.helpers.httpRequestWithAuthentication.call(context, 'kontorApi', {
			method: method as IHttpRequestMethods,
			url: `${String(credentials.baseUrl).trim().replace(/\/+$/, '')}${path}`,
			headers: {
				accept: 'application/json',
				'accept-language': say('host_language'),
				...(body ? { 'content-type': 'application/json' } : {}),
			},
			...(body ? { body: Buffer.from(writeJson(body), 'utf8') } : {}),
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout,
		})) as Answer;
	} catch (error) {
		return fail(new Problem((error as Error).message, { kind: 'service_down', remedy: say('service_down_remedy') }));
	}
	const value = parsed(Buffer.from(answer.body ?? '').toString('utf8'));
	if (answer.statusCode >= 200 && answer.statusCode < 300) return value ?? {};
	throw refusal(answer.statusCode, value ?? {});
}

/** The host's error, which already says what to do; in the package's language where it speaks both. */
function refusal(status: number, body: Row): Problem {
	const remedy = isPlainObject(body.remedy) ? body.remedy[say('host_language')] : body.remedy;
	const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
	return new Problem(text(body.message) ?? text(body.detail) ?? text(body.title) ?? `HTTP ${status}`, {
		kind: text(body.kind),
		status,
		remedy: text(remedy),
		field: text(body.field),
		reconnectUrl: text(body.reconnect_url),
		retryAt: text(body.retry_at),
	});
}

function parsed(text: string): Row | undefined {
	try {
		const value = text.trim() ? readJson(text) : undefined;
		return isPlainObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

function fail(problem: Problem): never {
	throw problem;
}
