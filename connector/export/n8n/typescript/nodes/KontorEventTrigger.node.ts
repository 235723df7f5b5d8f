import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes } from 'n8n-workflow';

import { isRegistered, receive, register, unregister } from '../Kontor/engine/hook';
import { loadMethods } from '../Kontor/engine/options';
import { answered, told, toldInOne } from '../Kontor/engine/problem';

export class KontorEventTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kontor Event Trigger',
		name: 'kontorEventTrigger',
		icon: { light: 'file:kontor.svg', dark: 'file:kontor.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["trigger"] }}',
		description: 'Starts the workflow when the service sends an event',
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
			async checkExists(this: IHookFunctions): Promise<boolean> {
				try {
					return await isRegistered(this);
				} catch (error) {
					throw new NodeApiError(this.getNode(), answered(error), toldInOne(error));
				}
			},
			async create(this: IHookFunctions): Promise<boolean> {
				try {
					return await register(this);
				} catch (error) {
					throw new NodeApiError(this.getNode(), answered(error), toldInOne(error));
				}
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				try {
					return await unregister(this);
				} catch (error) {
					throw new NodeApiError(this.getNode(), answered(error), toldInOne(error));
				}
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		try {
			const found = await receive(this);
			if (found.status !== 200) {
				this.getResponseObject().status(found.status).end();
				return { noWebhookResponse: true };
			}
			return found.rows.length
				? { workflowData: [this.helpers.returnJsonArray(found.rows)] }
				: { webhookResponse: 'OK' };
		} catch (error) {
			throw new NodeApiError(this.getNode(), answered(error), told(error));
		}
	}
}
