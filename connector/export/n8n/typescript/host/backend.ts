/** Runs, offers and polls through the Kontor host; what the core can check is checked before it is asked. */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Inputs, Manifest, Option, Row } from '../core/types';
import { PACK } from '../pack';
import { ask } from './ask';
import type { Backend, Context } from './platform';
import { kontorOf } from './platform';

export const backend: Backend = {
	async run(context, id, raw, item) {
		const action = PACK.actions[id];
		const key = action.writes ? { key: keyOf(context, item) } : {};
		const body = { inputs: await checked(context, id, raw), ...key };
		const { output, warnings } = await ask(context, 'POST', `/v1/actions/${id}/run`, body, timeoutOf(action));
		return { output: output as Row, warnings: (warnings ?? []) as string[] };
	},

	async options(context, id, raw) {
		const inputs = await checked(context, id, raw);
		return ((await ask(context, 'POST', `/v1/lookups/${id}`, { inputs })).options ?? []) as Option[];
	},

	async poll(context, trigger, raw, cursor, start) {
		const place = cursor === undefined ? { start } : { cursor };
		const body = { inputs: await checked(context, trigger.id, raw), ...place };
		const polled = await ask(context, 'POST', `/v1/triggers/${trigger.id}/poll`, body, timeoutOf(trigger));
		return { items: polled.items as Row[], cursor: String(polled.cursor), more: polled.more === true };
	},
};

async function checked(context: Context, id: string, raw: Row): Promise<Inputs> {
	return (await kontorOf(context)).check(id, raw).inputs;
}

/** The host may wait for its turn and send again: it gets twice the time of one answer, and some. */
function timeoutOf({ timeout = 30 }: Manifest): number {
	return 2000 * timeout + 30_000;
}

/** Names this run of this step for this item, so that a retry by n8n does not happen twice. */
function keyOf(context: IExecuteFunctions, item: number): string {
	const run = context.evaluateExpression('{{ $runIndex }}', item);
	return ['n8n', context.getWorkflow().id, context.getExecutionId(), context.getNode().id, run, item].join(':');
}
