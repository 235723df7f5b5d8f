import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { ask } from './ask';
import { gather } from './form';
import { plainInputs } from './plainInputs';
import type { Inputs, Row, Rows, Trigger } from './shapes';
import { TRIGGERS } from './tables';

const MOST_SHOWN = 10;

interface Kept {
	of?: string;
	cursor?: string;
}

/** One poll through the host, which shares it among flows. A test run shows what there is and moves nothing. */
export async function pollTrigger(context: IPollFunctions): Promise<Rows> {
	const id = context.getNodeParameter('trigger') as string;
	const trigger = TRIGGERS[id];
	const read = (name: string): unknown => context.getNodeParameter(name, undefined);
	const inputs = plainInputs(trigger.fields, await gather(trigger.fields, read));
	if (context.getMode() === 'manual') {
		const { rows } = await poll(context, trigger, { inputs, start: 'all' });
		return rows.slice(-MOST_SHOWN);
	}
	const kept = context.getWorkflowStaticData('node') as Kept;
	const of = JSON.stringify([id, inputs]);
	const known = kept.of === of ? kept.cursor : undefined;
	const begin: Row = known === undefined ? { start: startOf(context) } : { cursor: known };
	const { rows, cursor } = await poll(context, trigger, { inputs, ...begin });
	kept.of = of;
	kept.cursor = cursor;
	return rows;
}

async function poll(context: IPollFunctions, trigger: Trigger, body: Inputs): Promise<{ rows: Rows; cursor: string }> {
	const timeout = 2 * (trigger.timeout ?? 30_000) + 30_000;
	const answer = await ask(context, 'POST', `/v1/triggers/${trigger.id}/poll`, body, timeout);
	return { rows: (answer.items ?? []) as IDataObject[], cursor: String(answer.cursor) };
}

function startOf(context: IPollFunctions): string {
	const start = context.getNodeParameter('start', 'now') as string;
	return start === 'since' ? `since:${String(context.getNodeParameter('since', '')).trim()}` : start;
}
