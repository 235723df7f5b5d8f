/**
 * What an event trigger has told of already. A node's own data are not enough for that: n8n keeps a change of them only
 * when the event starts no workflow, and two events at the same time do not see each other's changes. So it is
 * remembered here too for as long as n8n runs, and goes into the node's data with whatever change is kept next.
 */

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

const MOST_REMEMBERED = 1000;

export interface Told {
	/** The last status told of each payment. */
	statuses: Record<string, string>;
	/** The events told of late. */
	seen: string[];
}

const TOLD = new Map<string, Told>();

export function recall(context: IHookFunctions | IWebhookFunctions): Told {
	const kept = context.getWorkflowStaticData('node') as Partial<Told>;
	const own = isTest(context) ? undefined : TOLD.get(placeOf(context));
	return {
		statuses: { ...kept.statuses, ...own?.statuses },
		seen: [...new Set([...(kept.seen ?? []), ...(own?.seen ?? [])])],
	};
}

/** Nothing is awaited between `recall` and `remember`, so that no event comes in between. */
export function remember(context: IHookFunctions | IWebhookFunctions, { statuses, seen }: Told): void {
	const told = {
		statuses: Object.fromEntries(Object.entries(statuses).slice(-MOST_REMEMBERED)),
		seen: seen.slice(-MOST_REMEMBERED),
	};
	Object.assign(context.getWorkflowStaticData('node'), told);
	if (!isTest(context)) TOLD.set(placeOf(context), { statuses: { ...told.statuses }, seen: [...told.seen] });
}

/** A workflow is switched off: now n8n keeps what is written into the node's data. */
export function handOver(context: IHookFunctions): void {
	if (isTest(context)) return;
	if (TOLD.has(placeOf(context))) remember(context, recall(context));
	TOLD.delete(placeOf(context));
}

/** A person who tries a workflow out may send the same event again and again. */
function isTest(context: IHookFunctions | IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

function placeOf(context: IHookFunctions | IWebhookFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().id}`;
}
