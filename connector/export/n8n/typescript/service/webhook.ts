/** The service's one webhook URL, read before it is written; and its events, which the core confirms. */

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { giveBackWebhookUrl, takeWebhookUrl } from '../core/backend/webhook_url';
import type { Received } from '../core/events/receive_event';
import type { Row } from '../core/values/value_kinds';
import { PACK } from '../pack';
import { gather } from './form';
import { kontorOf } from './platform';
import { say } from './problem';
import { handOver, isTest, memoryOf } from './event_memory';

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
	const kontor = await kontorOf(context);
	if (!isTest(context)) await kontor.beginListening(triggerOf(context), await inputsOf(context), memoryOf(context));
	const former = await takeWebhookUrl(kontor, say, url, mayReplace);
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
	const body = (context.getRequestObject() as { rawBody?: Buffer }).rawBody;
	const text = body?.length ? body.toString('utf8') : JSON.stringify(context.getBodyData());
	const received = await (await kontorOf(context)).receive(
		triggerOf(context),
		await inputsOf(context),
		text,
		memoryOf(context),
	);
	if (received.problem) context.logger.warn(received.problem.message);
	return received;
}

function triggerOf(context: IHookFunctions | IWebhookFunctions): string {
	return context.getNodeParameter('trigger') as string;
}

async function inputsOf(context: IHookFunctions | IWebhookFunctions): Promise<Row> {
	const { inputs } = PACK.triggers[triggerOf(context)];
	return await gather(inputs, (name) => context.getNodeParameter(name, ''));
}
