/** Runs, offers and polls through the Kontor host; what the core can check is checked before it is asked. */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Polled, Ran } from '../core/kontor';
import type { Manifest, Option, Row } from '../core/types';
import { PACK } from '../pack';
import { ask } from './ask';
import type { Context } from './platform';
import { kontorOf } from './platform';

/** The host may wait for its turn and send again: it gets twice the time of one answer, and some. */
const timeoutOf = ({ timeout = 30 }: Manifest): number => 2000 * timeout + 30_000;

export async function run(context: IExecuteFunctions, id: string, raw: Row, item: number): Promise<Ran> {
	const action = PACK.actions[id];
	const { inputs } = (await kontorOf(context)).check(id, raw);
	const body = { inputs, ...(action.writes ? { key: keyOf(context, item) } : {}) };
	const { output, warnings = [] } = await ask(context, 'POST', `/v1/actions/${id}/run`, body, timeoutOf(action));
	return { output: output as Row, warnings: warnings as string[] };
}

export async function options(context: Context, id: string, raw: Row): Promise<Option[]> {
	const { inputs } = (await kontorOf(context)).check(id, raw);
	return ((await ask(context, 'POST', `/v1/lookups/${id}`, { inputs })).options ?? []) as Option[];
}

export async function poll(
	context: Context,
	trigger: Manifest,
	raw: Row,
	cursor: string | undefined,
	start: string,
): Promise<Polled> {
	const { inputs } = (await kontorOf(context)).check(trigger.id, raw);
	const body = { inputs, ...(cursor === undefined ? { start } : { cursor }) };
	const path = `/v1/triggers/${trigger.id}/poll`;
	const { items, cursor: next, more } = await ask(context, 'POST', path, body, timeoutOf(trigger));
	return { items: (items ?? []) as Row[], cursor: String(next), more: more === true };
}

/** Names this run of this step for this item, so that a retry by n8n does not happen twice. */
function keyOf(context: IExecuteFunctions, item: number): string {
	const run = context.evaluateExpression('{{ $runIndex }}', item);
	return ['n8n', context.getWorkflow().id, context.getExecutionId(), context.getNode().id, run, item].join(':');
}
