import type {
	IDataObject,
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { isRegistered, receive, register, unregister } from '../Kontor/adapter/webhook';
import { kontorTest } from '../Kontor/adapter/credential_test';
import { searchMethods } from '../Kontor/adapter/options';
import { apiError } from '../Kontor/adapter/problem';
import { plain } from '../Kontor/core/values/json';

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
		credentials: [{ name: 'kontorApi', required: true, testedBy: 'kontorTest' }],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'kontor', rawBody: true },
		],
		properties: /*properties*/,
	};

	methods = { listSearch: searchMethods(), credentialTest: { kontorTest } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await told(this, isRegistered);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await told(this, register);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await told(this, unregister);
			},
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
async function told(context: IHookFunctions, act: (context: IHookFunctions) => Promise<boolean>): Promise<boolean> {
	try {
		return await act(context);
	} catch (error) {
		throw apiError(context, error, { inOne: true });
	}
}
