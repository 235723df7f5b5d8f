import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ask } from './ask';
import { gather } from './form';
import { plainInputs } from './plainInputs';
import type { Row, Rows } from './shapes';
import { ACTIONS } from './tables';

/** The host may wait for its turn and send again: it gets twice the time of one answer. */
const PATIENCE = 2;

/** Runs an action for one item; a list gives one row each. */
export async function runAction(context: IExecuteFunctions, id: string, item: number): Promise<Rows> {
	const action = ACTIONS[id];
	const read = (name: string): unknown => context.getNodeParameter(name, item, undefined);
	const file = async (name: string): Promise<string | undefined> => {
		if (!context.getInputData()[item].binary?.[name]) return undefined;
		return (await context.helpers.getBinaryDataBuffer(item, name)).toString('base64');
	};
	const inputs = plainInputs(action.fields, await gather(action.fields, read, file));
	const body: Row = action.writes ? { inputs, key: keyOf(context, item) } : { inputs };
	const timeout = PATIENCE * (action.timeout ?? 30_000) + 30_000;
	const answer = await ask(context, 'POST', `/v1/actions/${id}/run`, body, timeout);
	const output = (answer.output ?? {}) as Row;
	return (action.list ? (output.items ?? []) : [output]) as IDataObject[];
}

/** Names this run of this step for this item, so that a retry by n8n does not happen twice. */
function keyOf(context: IExecuteFunctions, item: number): string {
	const run = context.evaluateExpression('{{ $runIndex }}', item);
	return ['n8n', context.getWorkflow().id, context.getExecutionId(), context.getNode().id, run, item].join(':');
}
