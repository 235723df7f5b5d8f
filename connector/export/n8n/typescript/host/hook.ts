/** One subscription at the Kontor host per workflow. Deliveries are signed, and may come more than once. */

import { createHmac, timingSafeEqual } from 'crypto';
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { ask } from './ask';
import { readJson } from './exact';
import { gather, isPlainObject } from './form';
import { plainInputs } from './plainInputs';
import { Problem } from './problem';
import { handOver, recall, remember } from './recall';
import type { Rows } from './shapes';
import { TRIGGERS } from './tables';

const TOLERANCE = 5 * 60;

interface Kept {
	subscription?: string;
	secret?: string;
}

export interface Received {
	status: number;
	rows: Rows;
}

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const kept = context.getWorkflowStaticData('node') as Kept;
	if (!kept.subscription) return false;
	try {
		const { subscription } = await ask(context, 'GET', `/v1/subscriptions/${kept.subscription}`);
		if (!isPlainObject(subscription) || subscription.state !== 'active') return false;
		return subscription.target_url === context.getNodeWebhookUrl('default');
	} catch (error) {
		if (error instanceof Problem && error.details.status === 404) return false;
		return fail(error);
	}
}

export async function register(context: IHookFunctions): Promise<boolean> {
	const trigger = TRIGGERS[context.getNodeParameter('trigger') as string];
	const read = (name: string): unknown => context.getNodeParameter(name, undefined);
	const made = await ask(context, 'POST', '/v1/subscriptions', {
		trigger: trigger.id,
		inputs: plainInputs(trigger.fields, await gather(trigger.fields, read)),
		target_url: context.getNodeWebhookUrl('default'),
	});
	const kept = context.getWorkflowStaticData('node') as Kept;
	kept.subscription = String(made.id);
	kept.secret = String(made.secret);
	return true;
}

export async function unregister(context: IHookFunctions): Promise<boolean> {
	const kept = context.getWorkflowStaticData('node') as Kept;
	if (!kept.subscription) return true;
	try {
		await ask(context, 'DELETE', `/v1/subscriptions/${kept.subscription}`);
	} catch (error) {
		const gone = error instanceof Problem && (error.details.status === 404 || error.details.status === 410);
		if (!gone) fail(error);
	}
	delete kept.subscription;
	delete kept.secret;
	handOver(context);
	return true;
}

export async function receive(context: IWebhookFunctions): Promise<Received> {
	const kept = context.getWorkflowStaticData('node') as Kept;
	const raw = (context.getRequestObject() as { rawBody?: Buffer }).rawBody ?? Buffer.alloc(0);
	const headers = context.getHeaderData() as Record<string, string | undefined>;
	if (!isGenuine(headers, raw, kept.secret ?? '')) return { status: 401, rows: [] };
	const item = readJson(raw.toString('utf8'));
	if (!isPlainObject(item)) return { status: 400, rows: [] };
	const [id, told] = [String(item._id), recall(context)];
	if (told.seen.includes(id)) return { status: 200, rows: [] };
	remember(context, { ...told, seen: [...told.seen, id] });
	return { status: 200, rows: [item as IDataObject] };
}

/** Standard Webhooks: an HMAC over id, time and body, with the secret that the subscription came with. */
function isGenuine(headers: Record<string, string | undefined>, raw: Buffer, secret: string): boolean {
	const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name] ?? '');
	if (!secret || Math.abs(Date.now() / 1000 - Number(time)) > TOLERANCE) return false;
	const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
	const content = Buffer.concat([Buffer.from(`${id}.${time}.`), raw]);
	const expected = createHmac('sha256', key).update(content).digest();
	return given.split(' ').some((one) => {
		const sent = Buffer.from(one.replace(/^v1,/, ''), 'base64');
		return sent.length === expected.length && timingSafeEqual(sent, expected);
	});
}

function fail(error: unknown): never {
	throw error;
}
