/** Sends requests with Node's own client, each by a connection of its own: so it is known whether any of it has left. */

import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestInClear } from 'node:http';
import { request as requestSecured } from 'node:https';

import type { Answer, Lost, Outgoing } from '../core/platform.ts';

/** An answer that is larger is no answer. */
const MAX_BYTES = 64 * 1024 * 1024;

/** `own` are the headers that nobody but the service or the host may see. */
export function sender(own: Record<string, string>): (request: Outgoing) => Promise<Answer | Lost> {
	return async (request) => await new Promise((resolve) => exchange(request, own, resolve));
}

function exchange(
	{ method, url, headers, body, timeout }: Outgoing,
	own: Record<string, string>,
	resolve: (result: Answer | Lost) => void,
): void {
	let [isConnected, timedOut] = [false, false];
	const lose = (): void => resolve({ lost: isConnected ? 'maybe_sent' : 'never_sent', timedOut });
	const content = body === undefined ? undefined : Buffer.from(body, 'utf8');
	const length = content ? { 'content-length': content.length } : {};
	const options: RequestOptions = { method, headers: { ...headers, ...own, ...length }, agent: false };
	const isSecured = /^https:/i.test(url);
	const request = open(isSecured, url, options);
	if (!request) return lose();
	const timer = setTimeout(() => {
		timedOut = true;
		request.destroy();
	}, timeout);
	// Nothing of the request leaves before its connection is made.
	request.once('socket', (socket) => {
		socket.once(isSecured ? 'secureConnect' : 'connect', () => {
			isConnected = true;
		});
	});
	request.once('error', lose);
	request.once('close', () => {
		clearTimeout(timer);
		lose(); // which says nothing where an answer was told
	});
	request.once('response', (answer) => readAnswer(answer, resolve, lose));
	request.end(content);
}

/** Undefined where the address or a header is none. */
function open(isSecured: boolean, url: string, options: RequestOptions) {
	try {
		return (isSecured ? requestSecured : requestInClear)(url, options);
	} catch {
		return undefined;
	}
}

function readAnswer(answer: IncomingMessage, resolve: (result: Answer) => void, lose: () => void): void {
	const parts: Buffer[] = [];
	let size = 0;
	answer.on('data', (part: Buffer) => {
		size += part.length;
		if (size > MAX_BYTES) answer.destroy();
		else parts.push(part);
	});
	answer.once('error', lose);
	answer.once('end', () => {
		const headers = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
		const text = Buffer.concat(parts).toString('utf8');
		resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(headers), text });
	});
}
