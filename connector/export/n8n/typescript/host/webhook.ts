/** One subscription at the Kontor host per workflow. */

import { createHmac } from 'crypto';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isSubscribed, subscribe, takeDelivery, unsubscribe } from '../core/backend/host_subscription';
import type { Hmac } from '../core/host';
import type { Row } from '../core/values/value_kinds';
import { PACK } from '../pack';
import { askerOf } from './backend';
import { gather } from './form';
import { kontorOf } from './platform';
import { handOver, memoryOf } from './event_memory';

const HMAC: Hmac = (key, text) => createHmac('sha256', key).update(text).digest('base64');

interface NodeData {
	subscription?: string;
	secret?: string;
}

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { subscription: id } = context.getWorkflowStaticData('node') as NodeData;
	return id ? await isSubscribed(await askerOf(context), id, context.getNodeWebhookUrl('default') ?? '') : false;
}

export async function register(context: IHookFunctions): Promise<boolean> {
	const trigger = PACK.triggers[context.getNodeParameter('trigger') as string];
	const raw = await gather(trigger.inputs, (name) => context.getNodeParameter(name, ''));
	const { inputs } = (await kontorOf(context)).check(trigger, raw);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const { id: subscription, secret } = await subscribe(await askerOf(context), trigger, inputs, url);
	Object.assign(context.getWorkflowStaticData('node'), { subscription, secret });
	return true;
}

export async function unregister(context: IHookFunctions): Promise<boolean> {
	const nodeData = context.getWorkflowStaticData('node') as NodeData;
	if (!nodeData.subscription) return true;
	await unsubscribe(await askerOf(context), nodeData.subscription);
	delete nodeData.subscription;
	delete nodeData.secret;
	handOver(context);
	return true;
}

export async function receive(context: IWebhookFunctions): Promise<{ status: number; items: Row[] }> {
	const { secret = '' } = context.getWorkflowStaticData('node') as NodeData;
	const { rawBody } = context.getRequestObject() as { rawBody?: Buffer };
	const delivery = { headers: context.getHeaderData() as Row, body: rawBody?.toString('utf8') ?? '' };
	return takeDelivery(delivery, secret, HMAC, Date.now(), memoryOf(context));
}
