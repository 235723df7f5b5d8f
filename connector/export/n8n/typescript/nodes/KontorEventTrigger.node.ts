import type {
	IDataObject,
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { isRegistered, receive, register, unregister } from '../Kontor/adapter/hook';
import { loadMethods } from '../Kontor/adapter/options';
import { apiError } from '../Kontor/adapter/problem';
import { plain } from '../Kontor/core/json';

export class KontorEventTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor Event Trigger',
		name: 'kontorEventTrigger',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["trigger"] }}',
		description: /*about*/,
		defaults: { name: 'Kontor Event Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'kontorApi', required: true }],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'kontor', rawBody: true },
		],
		properties: /*properties*/,
	};

	methods = { loadOptions: loadMethods() };

	webhookMethods = {
		default: {
			checkExists: told(isRegistered),
			create: told(register),
			delete: told(unregister),
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		try {
			const { status, items } = await receive(this);
			if (status !== 200) {
				this.getResponseObject().status(status).end();
				return { noWebhookResponse: true };
			}
			if (!items.length) return { webhookResponse: 'OK' };
			return { workflowData: [this.helpers.returnJsonArray(plain(items) as IDataObject[])] };
		} catch (error) {
			throw apiError(this, error);
		}
	}
}

/** Switching a workflow on or off, n8n shows the message alone. */
function told(act: (context: IHookFunctions) => Promise<boolean>) {
	return async function (this: IHookFunctions): Promise<boolean> {
		try {
			return await act(this);
		} catch (error) {
			throw apiError(this, error, { inOne: true });
		}
	};
}
