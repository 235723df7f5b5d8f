import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { kontorTest } from './adapter/credential_test';
import { searchMethods } from './adapter/options';
import { runItems } from './adapter/run';
/*imports*/
export class Kontor implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor',
		name: 'kontor',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: /*about*/,
		defaults: { name: 'Kontor' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'kontorApi', required: true, testedBy: 'kontorTest' }],
		properties: /*properties*/,
	};

	methods = { listSearch: searchMethods(), credentialTest: { kontorTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this)];
	}
}
