import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes } from 'n8n-workflow';

import { loadMethods } from './engine/options';
import { answered, told } from './engine/problem';
import { runAction } from './engine/run';
/*imports*/
export class Kontor implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor',
		name: 'kontor',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Accounting, banking and mobility invoices of one service',
		defaults: { name: 'Kontor' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'kontorApi', required: true }],
		properties: /*properties*/,
	};

	methods = { loadOptions: loadMethods() };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const results: INodeExecutionData[] = [];
		for (let item = 0; item < this.getInputData().length; item++) {
			try {
				const operation = this.getNodeParameter('operation', item) as string;
				for (const row of await runAction(this, operation, item)) {
					results.push({ json: row, pairedItem: { item } });
				}
			} catch (error) {
				if (this.continueOnFail()) {
					results.push({ json: { ...answered(error) }, pairedItem: { item } });
					continue;
				}
				throw new NodeApiError(this.getNode(), answered(error), { ...told(error), itemIndex: item });
			}
		}
		return [results];
	}
}
