/** One subscription at the Kontor host per workflow. Deliveries are signed, and may come more than once. */

import { createHmac } from 'crypto';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Hmac } from '../core/host';
import { isGenuine } from '../core/host';
import { Problem } from '../core/messages';
import { readJson } from '../core/values/json';
import type { Row } from '../core/values/value_kinds';
import { isObject } from '../core/values/value_kinds';
import { PACK } from '../pack';
import { ask } from './ask';
import { gather } from './form';
import { kontorOf } from './platform';
import { handOver, memoryOf } from './event_memory';

/** Seconds that a delivery may be under way. */
const TOLERANCE = 5 * 60;
const MAX_REMEMBERED = 1000;

const HMAC: Hmac = (key, text) => createHmac('sha256', key).update(text).digest('base64');

interface NodeData {
	subscription?: string;
	secret?: string;
}

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { subscription: id } = context.getWorkflowStaticData('node') as NodeData;
	const answer = id ? await unlessGone(ask(context, 'GET', `/v1/subscriptions/${id}`)) : undefined;
	if (!isObject(answer?.subscription) || answer.subscription.state !== 'active') return false;
	return answer.subscription.target_url === context.getNodeWebhookUrl('default');
}

export async function register(context: IHookFunctions): Promise<boolean> {
	const trigger = context.getNodeParameter('trigger') as string;
	const raw = await gather(PACK.triggers[trigger].inputs, (name) => context.getNodeParameter(name, ''));
	const { inputs } = (await kontorOf(context)).check(PACK.triggers[trigger], raw);
	const body = { trigger, inputs, target_url: context.getNodeWebhookUrl('default') };
	const { id, secret } = await ask(context, 'POST', '/v1/subscriptions', { body });
	Object.assign(context.getWorkflowStaticData('node'), { subscription: String(id), secret: String(secret) });
	return true;
}

export async function unregister(context: IHookFunctions): Promise<boolean> {
	const nodeData = context.getWorkflowStaticData('node') as NodeData;
	if (!nodeData.subscription) return true;
	await unlessGone(ask(context, 'DELETE', `/v1/subscriptions/${nodeData.subscription}`));
	delete nodeData.subscription;
	delete nodeData.secret;
	handOver(context);
	return true;
}

export async function receive(context: IWebhookFunctions): Promise<{ status: number; items: Row[] }> {
	const { secret = '' } = context.getWorkflowStaticData('node') as NodeData;
	const { rawBody } = context.getRequestObject() as { rawBody?: Buffer };
	const delivery = { headers: context.getHeaderData() as Row, body: rawBody?.toString('utf8') ?? '' };
	if (!isGenuine(delivery, secret, HMAC, Date.now() / 1000, TOLERANCE)) return { status: 401, items: [] };
	const item = readJson(delivery.body);
	if (!isObject(item)) return { status: 400, items: [] };
	const memory = memoryOf(context);
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
