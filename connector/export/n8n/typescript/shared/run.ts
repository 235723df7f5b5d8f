/** Runs an action for one item; a list gives one row each. */

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { plain } from '../core/json';
import { PACK } from '../pack';
import { backend } from './backend';
import { gather } from './form';

export async function runAction(context: IExecuteFunctions, item: number): Promise<INodeExecutionData[]> {
	const id = context.getNodeParameter('operation', item) as string;
	const { inputs: fields, output: { list = false } = {} } = PACK.actions[id];
	const read = (name: string): unknown => context.getNodeParameter(name, item, '');
	const file = async (name: string): Promise<string | undefined> => {
		if (!context.getInputData()[item].binary?.[name]) return undefined;
		return (await context.helpers.getBinaryDataBuffer(item, name)).toString('base64');
	};
	const { output, warnings } = await backend.run(context, id, await gather(fields, read, file), item);
	for (const message of warnings) context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	const rows = list && Array.isArray(output.items) ? output.items : [output];
	const most = list && read('returnAll') === false ? Number(read('limit')) : rows.length;
	return rows.slice(0, most).map((row) => ({ json: plain(row) as IDataObject, pairedItem: { item } }));
}
