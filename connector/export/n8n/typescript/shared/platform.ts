/** What the core needs of n8n: requests with the stored credential, the time, pauses and digests. */

import { createHash } from 'crypto';
import type { IAllExecuteFunctions as Context, IExecuteFunctions, IHttpRequestMethods } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CODE } from '../code';
import type { Option } from '../core/answers/options';
import type { Ran } from '../core/kontor';
import { Kontor } from '../core/kontor';
import type { Manifest } from '../core/manifest/pack';
import type { Answer, Lost, Outgoing, State } from '../core/platform';
import type { PollOutcome, LastPoll } from '../core/poller/poll_throttle';
import type { Row } from '../core/values/value_kinds';
import type { Intent } from '../core/writes/intent';
import { PACK } from '../pack';

export type { IAllExecuteFunctions as Context } from 'n8n-workflow';

/** Whom the package talks to: the service itself, or a Kontor host. */
export interface Backend {
	/** Raises what is wrong with the inputs of a run, before any is sent. */
	check(context: IExecuteFunctions, id: string, raw: Row, intent: Intent): Promise<void>;
	run(context: IExecuteFunctions, id: string, raw: Row, intent: Intent): Promise<Ran>;
	options(context: Context, id: string, raw: Row): Promise<Option[]>;
	/** Polls where that is due, to the end of what is new. */
	poll(
		context: Context,
		trigger: Manifest,
		raw: Row,
		cursor: string | undefined,
		start: string,
		lastPoll?: LastPoll,
	): Promise<PollOutcome>;
}

interface Credential {
	baseUrl?: string;
	apiKey?: string;
	/** Asked for only where no host decides about agents. */
	agentsMayPay?: boolean;
}

const NO_ROUTE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_INVALID_URL)$/;
const NO_TRUST = /^(CERT_|ERR_TLS_CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)_)/;
const TIMED_OUT = /^(ETIMEDOUT|ESOCKETTIMEDOUT|ECONNABORTED)$/;
const MAX_CAUSES = 8;

export async function kontorOf(context: Context, state?: State): Promise<Kontor> {
	const { baseUrl, apiKey, agentsMayPay } = await context.getCredentials<Credential>('kontorApi');
	const platform = {
		baseUrl: String(baseUrl ?? ''),
		send: (request: Outgoing) => send(context, request),
		now: () => Date.now(),
		zone: context.getTimezone(),
		sleep,
		sha256: (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex'),
		state,
		agentsMayPay: agentsMayPay === true,
		redact: (text: string) => (apiKey ? text.split(apiKey).join('***') : text),
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
		})) as { statusCode: number; headers: Record<string, string>; body?: Buffer };
		const text = Buffer.from(answer.body ?? '').toString('utf8');
		return { status: answer.statusCode, headers: answer.headers, text };
	} catch (error) {
		const codes = codesOf(error);
		const isUnsent = codes.some((code) => NO_ROUTE.test(code) || NO_TRUST.test(code));
		return {
			lost: isUnsent ? 'never_sent' : 'maybe_sent',
			timedOut: codes.some((code) => TIMED_OUT.test(code)),
		};
	}
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
