/** The service's one webhook URL, read before it is written; and its events, which the core confirms. */

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Received } from '../core/events/receive_event';
import { problem } from '../core/messages';
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

/** Sets the URL, but replaces a foreign one only when told to. */
export async function register(context: IHookFunctions): Promise<boolean> {
	const kontor = await kontorOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const former = await kontor.currentWebhookUrl();
	if (former && former !== url && context.getNodeParameter('replaceForeign', false) !== true) {
		const remedy = say('n8n_webhook_taken_remedy');
		throw problem(say, 'refused', 'n8n_webhook_taken', { url: former }, { remedy });
	}
	await kontor.putWebhookUrl(url);
	if ((await kontor.currentWebhookUrl()) !== url) throw problem(say, 'bad_reply', 'n8n_webhook_not_set', { url });
	(context.getWorkflowStaticData('node') as NodeData).former = former === url ? null : former;
	return true;
}

/** Gives the URL back, if it is still ours. */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const nodeData = context.getWorkflowStaticData('node') as NodeData;
	if (await isRegistered(context)) await (await kontorOf(context)).putWebhookUrl(nodeData.former ?? '');
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
