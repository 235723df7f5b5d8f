/** What comes in from outside: one address for each that may call, and who takes it. */

import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { EventMemory, ToldEvents } from '../../node/core/events/receive_event.ts';
import type { Say } from '../../node/core/messages.ts';
import { problem } from '../../node/core/messages.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isObject } from '../../node/core/values/value_kinds.ts';
import type { Account } from './account.ts';
import { getKept, setKept } from './kept.ts';
import type { Red, RedNode, Request } from './red.ts';

const PATH = 'kontor/events';
const TOLD = 'kontorTold';
const MAX_BYTES = 1_000_000;
const TOO_LARGE = 413;
const GONE = 404;
const FAILED = 500;

/** Takes what came in and says what to answer with. */
export type Receiver = (body: string, headers: Row) => Promise<number>;

const RECEIVERS = new Map<string, Receiver>();
/** What came in, to the letter. */
const BODIES = new WeakMap<IncomingMessage, Promise<string | undefined>>();

export function addRoute(red: Red): void {
	if (!red.httpNode) return;
	// Node-RED's editor, which usually stands in front of all routes, reads bodies and hands on what it made of them.
	red.server?.prependListener('request', (request) => {
		if (request.url?.includes(`/${PATH}/`)) BODIES.set(request, textOf(request));
	});
	red.httpNode.post(`/${PATH}/:token`, (request, response) => {
		void answer(request).then((status) => response.status(status).end());
	});
}

async function answer(request: Request): Promise<number> {
	const receiver = RECEIVERS.get(request.params.token ?? '');
	if (!receiver) return GONE;
	const body = await (BODIES.get(request) ?? textOf(request));
	if (body === undefined) return TOO_LARGE;
	return await receiver(body, request.headers as Row).catch(() => FAILED);
}

/** Undefined where there is more than an event has. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
	const parts: Buffer[] = [];
	let size = 0;
	return await new Promise((resolve) => {
		request.on('data', (part: Buffer) => {
			size += part.length;
			if (size <= MAX_BYTES) parts.push(part);
		});
		request.once('close', () => resolve(undefined));
		request.once('end', () => resolve(size > MAX_BYTES ? undefined : Buffer.concat(parts).toString('utf8')));
	});
}

/** An address that nobody can guess, and that stays the same as long as the key and the node. */
export function addressOf(red: Red, say: Say, { publicUrl, apiKey }: Account, owner: RedNode): string {
	const { httpNodeRoot: root = '/' } = red.settings;
	if (root === false || !publicUrl) {
		const details = { field: 'publicUrl', remedy: say('node_red_no_public_url_remedy'), outcome: 'not_sent' } as const;
		throw problem(say, 'input', 'node_red_no_public_url', {}, details);
	}
	const token = createHmac('sha256', apiKey).update(`kontor-events/${owner.id}`).digest('hex');
	return [publicUrl, root, PATH, token].map((part) => part.replace(/^\/+|\/+$/g, '')).filter(Boolean).join('/');
}

export function listenAt(url: string, receiver: Receiver): void {
	RECEIVERS.set(tokenIn(url), receiver);
}

export function ignore(url: string): void {
	RECEIVERS.delete(tokenIn(url));
}

function tokenIn(url: string): string {
	return url.slice(url.lastIndexOf('/') + 1);
}

/** What a trigger has told of: known at once to all that comes in at the same time, and kept for the next start. */
export async function eventMemory(node: RedNode, store: string | undefined): Promise<EventMemory> {
	const stored = await getKept(node, store, TOLD).catch(() => undefined);
	let told = { statuses: {}, seen: [], arrived: {}, ...(isObject(stored) ? stored : {}) } as ToldEvents;
	return {
		recall: () => told,
		remember(next) {
			told = next;
			setKept(node, store, TOLD, next).catch((error: Error) => node.warn(error.message));
		},
	};
}
