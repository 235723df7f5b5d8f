/**
 * What an event trigger has told of already. A node's own data are not enough for that: n8n keeps a change of them only
 * when the event starts no workflow, and two events at the same time do not see each other's changes. So it is
 * remembered here too for as long as n8n runs, and goes into the node's data with whatever change is kept next.
 */

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { EventMemory, ToldEvents } from '../core/events/receive_event';

const TOLD = new Map<string, ToldEvents>();

export function memoryOf(context: IHookFunctions | IWebhookFunctions): EventMemory {
	const nodeData = context.getWorkflowStaticData('node') as Partial<ToldEvents>;
	const own = isTest(context) ? undefined : placeOf(context);
	return {
		recall() {
			const told = TOLD.get(own ?? '');
			const begun = told?.begun ?? nodeData.begun;
			return {
				statuses: { ...nodeData.statuses, ...told?.statuses },
				seen: [...new Set([...(nodeData.seen ?? []), ...(told?.seen ?? [])])],
				arrived: { ...nodeData.arrived, ...told?.arrived },
				bankConnections: { ...nodeData.bankConnections, ...told?.bankConnections },
				...(begun === undefined ? {} : { begun }),
			};
		},
		remember(told) {
			// A copy of its own: n8n watches what is put into the node's data.
			if (own) TOLD.set(own, JSON.parse(JSON.stringify(told)) as ToldEvents);
			Object.assign(nodeData, told);
		},
	};
}

/** A workflow is switched off: now n8n keeps what is written into the node's data. */
export function handOver(context: IHookFunctions): void {
	const [memory, own] = [memoryOf(context), placeOf(context)];
	if (isTest(context) || !TOLD.has(own)) return;
	memory.remember(memory.recall());
	TOLD.delete(own);
}

/** A person who tries a workflow out may send the same event again and again. */
export function isTest(context: IHookFunctions | IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

function placeOf(context: IHookFunctions | IWebhookFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().id}`;
}
