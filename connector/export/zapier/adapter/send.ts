/** Sends requests through Zapier's client: answers as text, and what is lost told apart by whether it ever left. */

import type { Answer, Lost, Outgoing } from '../../node/core/platform.ts';
import type { Bundle, Z } from './zapier.ts';

/** Zapier ends a step after 30 seconds without a word; the rest is for saying what happened. */
const PATIENCE = 27_000;
/** Errors of Node by which certainly no byte of the request has left: no address, no connection, no trust. */
const NO_ONE_THERE = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|CERT_\w+|ERR_TLS_CERT\w+|UNABLE_TO_\w+|\w*SELF_SIGNED_CERT\w*)$/;
const NOT_CONNECTED = /\bconnect E(HOSTUNREACH|NETUNREACH|TIMEDOUT)\b/;
const TIMED_OUT = /timeout|ETIMEDOUT/i;

export type Send = (request: Outgoing) => Promise<Answer | Lost>;

/** For one step; `own` are the headers that nobody but the service or the host may see. */
export function sender(z: Z, own: Record<string, string>): { send: Send; left(): number } {
	const ends = Date.now() + PATIENCE;
	const left = (): number => ends - Date.now();
	const send: Send = async ({ headers, timeout, ...request }) => {
		if (left() <= 0) return { lost: 'never_sent', timedOut: true };
		try {
			const answer = await z.request({
				...request,
				headers: { ...own, ...headers },
				timeout: Math.min(timeout, left()),
				redirect: 'manual',
				skipThrowForStatus: true,
				throwForThrottlingEarly: false,
			});
			return { status: answer.status, headers: Object.fromEntries(answer.headers), text: answer.content };
		} catch (error) {
			return lossOf(error);
		}
	};
	return { send, left };
}

/** What stands in a field of the connected account. */
export function account({ authData }: Bundle, name: string): string {
	return (authData[name] ?? '').trim();
}

/** What an error of Zapier's client says of the request. Only certain ones say that nothing has left. */
function lossOf(error: unknown): Lost {
	const { message, code = '', type = '' } = error as Error & { code?: string; type?: string };
	const isNeverSent = NO_ONE_THERE.test(code) || NOT_CONNECTED.test(message);
	return { lost: isNeverSent ? 'never_sent' : 'maybe_sent', timedOut: TIMED_OUT.test(`${type} ${code}`) };
}
