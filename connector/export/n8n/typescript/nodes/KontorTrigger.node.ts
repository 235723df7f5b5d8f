import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes } from 'n8n-workflow';

import { loadMethods } from '../Kontor/engine/options';
import { pollTrigger } from '../Kontor/engine/poll';
import { answered, told, toldInOne } from '../Kontor/engine/problem';

export class KontorTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor Trigger',
		name: 'kontorTrigger',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["trigger"] }}',
		description: 'Starts the workflow when a poll finds something new',
		defaults: { name: 'Kontor Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'kontorApi', required: true }],
		properties: /*properties*/,
	};

	methods = { loadOptions: loadMethods() };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			const rows = await pollTrigger(this);
			return rows.length ? [this.helpers.returnJsonArray(rows)] : null;
		} catch (error) {
			// the first poll belongs to switching a workflow on
			const words = this.getMode() === 'manual' ? told(error) : toldInOne(error);
			throw new NodeApiError(this.getNode(), answered(error), words);
		}
	}
}
