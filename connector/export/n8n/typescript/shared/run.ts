/** Runs an action for every item; a list gives one row each. All items are checked before the first one is sent. */

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { refusal, rowTold } from '../core/messages';
import { plain } from '../core/values/json';
import type { Row } from '../core/values/value_kinds';
import type { Intent } from '../core/writes/intent';
import { summaryOf } from '../core/writes/write';
import { PACK } from '../pack';
import { backendOf } from './backend';
import { gather } from './form';
import { intentOf } from './intent';
import { apiError, say } from './problem';

/** An item whose inputs were read and checked, or what is wrong with it. */
type Plan = { id: string; raw: Row; most: number; intent: Intent } | { error: unknown };

export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const plans: Plan[] = [];
	for (let item = 0; item < context.getInputData().length; item++) {
		try {
			plans.push(await planned(context, item));
		} catch (error) {
			if (!context.continueOnFail()) throw apiError(context, error, { itemIndex: item });
			plans.push({ error });
		}
	}
	const [results, done]: [INodeExecutionData[], string[]] = [[], []];
	for (const [item, plan] of plans.entries()) {
		try {
			if ('error' in plan) throw plan.error;
			const { output, rows } = await ran(context, item, plan);
			results.push(...rows);
			const action = PACK.actions[plan.id];
			const summary = summaryOf(action, output, PACK.lang) || action.title;
			if (action.writes) done.push(say('package_done_item', { item: item + 1, made: summary }));
		} catch (error) {
			if (!context.continueOnFail()) throw apiError(context, error, { itemIndex: item, done });
			results.push({ json: rowTold(error) as IDataObject, pairedItem: { item } });
		}
	}
	return results;
}

async function planned(context: IExecuteFunctions, item: number): Promise<Plan> {
	const id = context.getNodeParameter('operation', item) as string;
	const { inputs: fields, output: { list = false } = {} } = PACK.actions[id];
	const read = (name: string): unknown => context.getNodeParameter(name, item, '');
	const file = async (name: string): Promise<string | undefined> => {
		if (!context.getInputData()[item].binary?.[name]) return undefined;
		return (await context.helpers.getBinaryDataBuffer(item, name)).toString('base64');
	};
	const most = list && read('returnAll') === false ? Number(read('limit')) : Infinity;
	if (!(most >= 1)) {
		const finding = { reason: 'too_small', field: 'limit', label: say('n8n_limit'), values: { least: 1 } };
		throw refusal(PACK.messages, finding);
	}
	const raw = await gather(fields, read, file);
	const intent = intentOf(context, item);
	await (await backendOf(context)).check(id, raw, intent);
	return { id, raw, most, intent };
}

async function ran(
	context: IExecuteFunctions,
	item: number,
	{ id, raw, most, intent }: Exclude<Plan, { error: unknown }>,
): Promise<{ output: Row; rows: INodeExecutionData[] }> {
	const { output, warnings, replayed } = await (await backendOf(context)).run(id, raw, intent);
	const hints = replayed ? [...warnings, say('package_replayed')] : warnings;
	for (const message of hints) context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	const items = PACK.actions[id].output?.list && Array.isArray(output.items) ? output.items : [output];
	const rows = items.slice(0, most).map((row) => ({ json: plain(row) as IDataObject, pairedItem: { item } }));
	return { output, rows };
}
