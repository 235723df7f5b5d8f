import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { kontorTest } from '../Kontor/adapter/credential_test';
import { searchMethods } from '../Kontor/adapter/options';
import { pollTrigger } from '../Kontor/adapter/poll';
import { apiError } from '../Kontor/adapter/problem';

export class KontorTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor Trigger',
		name: 'kontorTrigger',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["trigger"] }}',
		description: /*about*/,
		defaults: { name: 'Kontor Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'kontorApi', required: true, testedBy: 'kontorTest' }],
		properties: /*properties*/,
	};

	methods = { listSearch: searchMethods(), credentialTest: { kontorTest } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			const rows = await pollTrigger(this);
			return rows.length ? [this.helpers.returnJsonArray(rows)] : null;
		} catch (error) {
			// The first poll belongs to switching a workflow on, where n8n shows the message alone.
			throw apiError(this, error, { inOne: this.getMode() !== 'manual' });
		}
	}
}
