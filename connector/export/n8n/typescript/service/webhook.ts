/** The service's one webhook URL, read before it is written; and its events, which the core confirms. */

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { giveBackWebhookUrl, takeWebhookUrl } from '../core/backend/webhook_url';
import type { Received } from '../core/events/receive_event';
import { PACK } from '../pack';
import { gather } from './form';
import { kontorOf } from './platform';
import { say } from './problem';
import { handOver, memoryOf } from './event_memory';

interface NodeData {
	/** The URL that this workflow has replaced, to be put back. */
	former?: string | null;
}

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	return (await (await kontorOf(context)).currentWebhookUrl()) === context.getNodeWebhookUrl('default');
}

export async function register(context: IHookFunctions): Promise<boolean> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const mayReplace = context.getNodeParameter('replaceForeign', false) === true;
	const former = await takeWebhookUrl(await kontorOf(context), say, url, mayReplace);
	(context.getWorkflowStaticData('node') as NodeData).former = former;
	return true;
}

export async function unregister(context: IHookFunctions): Promise<boolean> {
	const nodeData = context.getWorkflowStaticData('node') as NodeData;
	await giveBackWebhookUrl(await kontorOf(context), context.getNodeWebhookUrl('default') ?? '', nodeData.former);
	delete nodeData.former;
	handOver(context);
	return true;
}

export async function receive(context: IWebhookFunctions): Promise<Received> {
	const id = context.getNodeParameter('trigger') as string;
	const raw = await gather(PACK.triggers[id].inputs, (name) => context.getNodeParameter(name, ''));
	const body = (context.getRequestObject() as { rawBody?: Buffer }).rawBody;
	const text = body?.length ? body.toString('utf8') : JSON.stringify(context.getBodyData());
	const received = await (await kontorOf(context)).receive(id, raw, text, memoryOf(context));
	if (received.problem) context.logger.warn(received.problem.message);
	return received;
}
