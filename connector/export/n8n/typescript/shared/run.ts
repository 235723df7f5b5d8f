/** Runs an action for one item; a list gives one row each. */

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { plain } from '../core/json';
import { refusal } from '../core/messages';
import { PACK } from '../pack';
import { backend } from './backend';
import { gather } from './form';
import { say } from './problem';

export async function runAction(context: IExecuteFunctions, item: number): Promise<INodeExecutionData[]> {
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
	const { output, warnings } = await backend.run(context, id, await gather(fields, read, file), item);
	for (const message of warnings) context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	const rows = list && Array.isArray(output.items) ? output.items : [output];
	return rows.slice(0, most).map((row) => ({ json: plain(row) as IDataObject, pairedItem: { item } }));
}
