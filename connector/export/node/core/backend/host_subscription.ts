/** A flow's subscription at a Kontor host. Deliveries are signed, and may come more than once. */

import type { EventMemory } from '../events/receive_event.ts';
import type { Ask, Delivery, Hmac } from '../host.ts';
import { isGenuine } from '../host.ts';
import type { Manifest } from '../manifest/pack.ts';
import { Problem } from '../messages.ts';
import { readJson } from '../values/json.ts';
import type { Row } from '../values/value_kinds.ts';
import { isObject, objectsIn } from '../values/value_kinds.ts';

/** Seconds that a delivery may be under way. */
const TOLERANCE = 5 * 60;
const MAX_REMEMBERED = 1000;
const ACTIVE = 'active';

export interface HostSubscription {
	id: string;
	secret: string;
}

export async function subscribe(ask: Ask, trigger: Manifest, inputs: Row, url: string): Promise<HostSubscription> {
	const body = { trigger: trigger.id, inputs, target_url: url };
	const { id, secret } = await ask('POST', '/v1/subscriptions', { body, fields: trigger.inputs });
	return { id: String(id), secret: String(secret) };
}

export async function isSubscribed(ask: Ask, id: string, url: string): Promise<boolean> {
	const answer = await unlessGone(ask('GET', `/v1/subscriptions/${encodeURIComponent(id)}`));
	if (!isObject(answer?.subscription) || answer.subscription.state !== ACTIVE) return false;
	return answer.subscription.target_url === url;
}

export async function unsubscribe(ask: Ask, id: string): Promise<void> {
	await unlessGone(ask('DELETE', `/v1/subscriptions/${encodeURIComponent(id)}`));
}

/** Ends what delivers to an address and is not the one subscription that belongs to it now. */
export async function endOthers(ask: Ask, url: string, own?: string): Promise<void> {
	const { subscriptions } = await ask('GET', '/v1/subscriptions');
	for (const { id, target_url, state } of objectsIn(subscriptions)) {
		if (target_url === url && state === ACTIVE && id !== own) await unsubscribe(ask, String(id));
	}
}

/** What to answer the host with, and what it has told that was not told before. */
export function takeDelivery(
	delivery: Delivery,
	secret: string,
	hmac: Hmac,
	now: number,
	memory: EventMemory,
): { status: 200 | 400 | 401; items: Row[] } {
	if (!isGenuine(delivery, secret, hmac, now / 1000, TOLERANCE)) return { status: 401, items: [] };
	const item = readJson(delivery.body);
	if (!isObject(item)) return { status: 400, items: [] };
	const [id, told] = [String(item._id), memory.recall()];
	if (told.seen.includes(id)) return { status: 200, items: [] };
	memory.remember({ ...told, seen: [...told.seen, id].slice(-MAX_REMEMBERED) });
	return { status: 200, items: [item] };
}

/** Undefined when the host no longer knows the subscription. */
async function unlessGone(asked: Promise<Row>): Promise<Row | undefined> {
	return await asked.catch((error: unknown) => {
		if (error instanceof Problem && (error.status === 404 || error.status === 410)) return undefined;
		throw error;
	});
}
