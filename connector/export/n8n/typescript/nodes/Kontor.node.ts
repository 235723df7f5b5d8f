import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { loadMethods } from './adapter/options';
import { answered, apiError } from './adapter/problem';
import { runAction } from './adapter/run';
/*imports*/
export class Kontor implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor',
		name: 'kontor',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['transform'],
		version: [1, 2],
		defaultVersion: 2,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: /*about*/,
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
				results.push(...(await runAction(this, item)));
			} catch (error) {
				if (!this.continueOnFail()) throw apiError(this, error, { itemIndex: item });
				results.push({ json: answered(error), pairedItem: { item } });
			}
		}
		return [results];
	}
}
