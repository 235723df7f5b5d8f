/** What the core needs of n8n: requests with the stored credential, the time, pauses and digests. */

import { createHash } from 'crypto';
import type { IAllExecuteFunctions as Context, IHttpRequestMethods } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CODE } from '../code';
import { Kontor } from '../core/kontor';
import type { Answer, Lost, Outgoing, Platform, State } from '../core/platform';
import { PACK } from '../pack';

export type { IAllExecuteFunctions as Context } from 'n8n-workflow';

/** As it is stored. */
export interface Credential {
	baseUrl?: string;
	apiKey?: string;
	hostToken?: string;
	/** Asked for only where no host decides about agents. */
	agentsMayPay?: boolean;
}

/** A whole answer of n8n's requests. */
export interface N8nAnswer {
	statusCode: number;
	headers: Record<string, string>;
	body?: Buffer;
}

const NO_ROUTE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_INVALID_URL)$/;
const NO_TRUST = /^(CERT_|ERR_TLS_CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)_)/;
const TIMED_OUT = /^(ETIMEDOUT|ESOCKETTIMEDOUT|ECONNABORTED)$/;
const MAX_CAUSES = 8;

export async function kontorOf(context: Context, state?: State): Promise<Kontor> {
	const credential = await context.getCredentials<Credential & Record<string, unknown>>('kontorApi');
	return kontorFor(credential, (request) => send(context, request), { zone: context.getTimezone(), state });
}

export function kontorFor(
	{ baseUrl, apiKey, agentsMayPay }: Credential,
	send: Platform['send'],
	more: { zone?: string; state?: State } = {},
): Kontor {
	const platform = {
		baseUrl: String(baseUrl ?? ''),
		send,
		now: () => Date.now(),
		sleep,
		sha256: (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex'),
		agentsMayPay: agentsMayPay === true,
		redact: (text: string) => (apiKey ? text.split(apiKey).join('***') : text),
		...more,
	};
	return new Kontor(PACK, platform, CODE);
}

export async function send(context: Context, { method, body, ...request }: Outgoing): Promise<Answer | Lost> {
	try {
		const answer = (await context.helpers.httpRequestWithAuthentication.call(context, 'kontorApi', {
			...request,
			method: method as IHttpRequestMethods,
			...(body === undefined ? {} : { body: Buffer.from(body, 'utf8') }),
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		})) as N8nAnswer;
		return answerIn(answer);
	} catch (error) {
		return lossIn(error);
	}
}

/** What n8n's requests give back, as the core reads it. */
export function answerIn({ statusCode: status, headers, body }: N8nAnswer): Answer {
	return { status, headers, text: Buffer.from(body ?? '').toString('utf8') };
}

/** What is lost with a request that failed. */
export function lossIn(error: unknown): Lost {
	const codes = codesOf(error);
	const isUnsent = codes.some((code) => NO_ROUTE.test(code) || NO_TRUST.test(code));
	return {
		lost: isUnsent ? 'never_sent' : 'maybe_sent',
		timedOut: codes.some((code) => TIMED_OUT.test(code)),
	};
}

/** The codes of an error and its causes. Its texts say nothing for sure: they may repeat what was sent. */
function codesOf(error: unknown): string[] {
	const codes: string[] = [];
	const left = [error];
	for (let seen = 0; left.length && seen < MAX_CAUSES; seen++) {
		const { code, cause, errors } = (left.shift() ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown };
		if (typeof code === 'string') codes.push(code);
		left.push(cause, ...(Array.isArray(errors) ? errors : []));
	}
	return codes;
}
