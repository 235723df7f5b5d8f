// Runs the exported package on n8n's own engine: one JSON order per line in, one JSON answer per line out.
//
// node engine.cjs FOLDER-OF-THE-PACKAGE [HURRY], started in a folder whose node_modules hold n8n-core and n8n-workflow.

'use strict';

const { createRequire } = require('module');
const path = require('path');
const readline = require('readline');

const need = createRequire(path.join(process.cwd(), 'package.json'));
const core = need('n8n-core');
const { Workflow, ICredentialsHelper, createRunExecutionData, NodeHelpers } = need('n8n-workflow');

const PACKAGE = 'n8n-nodes-kontor';
const loader = new core.PackageDirectoryLoader(process.argv[2]);

const nodeTypes = {
	// The server knows each node that is usable as a tool by a second name, under which an agent's tools stand.
	getByName: (name) => loader.getNode(name.split('.').pop().replace(/Tool$/, '')).type,
	getByNameAndVersion: (name) => nodeTypes.getByName(name),
	getKnownTypes: () => loader.known.nodes,
};

/** What the server does with a credential, without its database: the generic headers through the real expressions. */
class Credentials extends ICredentialsHelper {
	constructor(data) {
		super();
		this.data = data;
	}
	getParentTypes() {
		return [];
	}
	isCredentialUsableByNode() {
		return true;
	}
	async authenticate(credentials, typeName, requestOptions, workflow, node) {
		const type = loader.getCredential(typeName).type;
		const headers = { ...requestOptions.headers };
		for (const [name, value] of Object.entries(type.authenticate.properties.headers)) {
			headers[name] = resolved(workflow, node, value, credentials);
		}
		return { ...requestOptions, headers };
	}
	async preAuthentication() {
		return undefined;
	}
	async runPreAuthentication() {
		return undefined;
	}
	async getCredentials() {
		throw new Error('not stored');
	}
	async getDecrypted() {
		return this.data;
	}
	async updateCredentials() {}
	async updateCredentialsOauthTokenData() {}
	getCredentialsProperties(name) {
		return loader.getCredential(name).type.properties;
	}
}

function resolved(workflow, node, value, credentials) {
	return workflow.expression.getSimpleParameterValue(node, value, 'internal', { $credentials: credentials }, undefined, '');
}

/** How many milliseconds later it is for the engine than in truth. */
let ahead = 0;
const trueNow = Date.now;
Date.now = () => trueNow() + ahead;

/** How many times as fast pauses pass; what is longer is a time limit, and stays. */
const hurry = Number(process.argv[3] ?? 1);
const trueSetTimeout = setTimeout;
globalThis.setTimeout = (act, pause, ...more) => trueSetTimeout(act, pause < 10_000 ? pause / hurry : pause, ...more);

let executions = 100;

function stage(order) {
	executions += 1;
	const type = `${PACKAGE}.${order.node}`;
	const node = {
		id: 'b8a3e7c4-0000-4000-8000-000000000001',
		name: 'Kontor',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: order.parameters ?? {},
		credentials: { kontorApi: { id: order.credential.account ?? '1', name: 'Kontor' } },
		webhookId: 'f2d3a1b0-0000-4000-8000-000000000002',
		...(order.retry ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {}),
		...(order.continueOnFail ? { onError: 'continueRegularOutput' } : {}),
	};
	const workflow = new Workflow({
		id: order.workflow ?? '1',
		name: 'Test',
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes,
		staticData: order.static ?? {},
		settings: { timezone: order.timezone ?? 'Europe/Berlin' },
	});
	const additionalData = {
		credentialsHelper: new Credentials(order.credential),
		executionId: order.execution ?? String(executions),
		restApiUrl: 'http://127.0.0.1/rest',
		instanceBaseUrl: 'http://127.0.0.1/',
		webhookBaseUrl: order.webhookBase ?? 'http://127.0.0.1/webhook',
		webhookTestBaseUrl: 'http://127.0.0.1/webhook-test',
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
		currentNodeParameters: node.parameters,
		variables: {},
		executionTimeoutTimestamp: Date.now() + 60_000,
		setExecutionStatus: () => {},
		logAiEvent: () => {},
	};
	additionalData.hooks = new core.ExecutionLifecycleHooks('integrated', additionalData.executionId, {
		id: order.workflow ?? '1',
		name: 'Test',
		nodes: [node],
		connections: {},
	});
	return { node: workflow.getNode('Kontor'), workflow, additionalData, nodeType: nodeTypes.getByName(type) };
}

/** The data of executions that have failed, by their ids. */
const kept = new Map();

function outcome(run, workflow, { executionId }) {
	const [task] = run.data.resultData.runData.Kontor ?? [];
	const error = run.data.resultData.error ?? task?.error;
	const more = { execution: executionId, static: workflow.staticData };
	if (!error) return { ...more, items: task.data.main[0] };
	kept.set(executionId, JSON.parse(JSON.stringify(run.data)));
	throw Object.assign(error, { more });
}

/** As an execution is stored whose n8n was killed in the middle. */
function withoutContext(data) {
	return { ...data, executionData: { ...data.executionData, contextData: {} } };
}

const ORDERS = {
	async run(order) {
		const { node, workflow, additionalData } = stage(order);
		const items = order.items ?? [{ json: {}, ...(order.binary ? { binary: order.binary } : {}) }];
		const mode = order.mode ?? 'trigger';
		const execution = new core.WorkflowExecute(additionalData, mode, createRunExecutionData({}));
		const run = await execution.run({
			workflow,
			startNode: node,
			triggerToStartFrom: { name: 'Kontor', data: { data: { main: [items] } } },
		});
		return outcome(run, workflow, additionalData);
	},
	/** Several executions in one process, begun at the same moment. */
	async at_once({ orders }) {
		return { answers: await Promise.all(orders.map((order) => ORDERS.run(order))) };
	},
	/** What "Retry execution" of the editor does: the data of the first execution, under a new id. */
	async retry(order) {
		ahead = order.ahead ?? 0;
		const { workflow, additionalData } = stage(order);
		const data = order.forgets ? withoutContext(kept.get(order.of)) : kept.get(order.of);
		delete data.resultData.error;
		data.resultData.runData.Kontor?.pop();
		// The editor offers both: the workflow as it was, and as it is saved now.
		if (order.saved) for (const one of data.executionData.nodeExecutionStack) one.node = workflow.getNode('Kontor');
		const execution = new core.WorkflowExecute(additionalData, 'retry', createRunExecutionData(data));
		try {
			return outcome(await execution.processRunExecutionData(workflow), workflow, additionalData);
		} finally {
			ahead = 0;
		}
	},
	async options(order) {
		const { node, workflow, additionalData, nodeType } = stage(order);
		const context = new core.LoadOptionsContext(workflow, node, additionalData, order.path ?? 'parameters.x');
		const { results, paginationToken } = await nodeType.methods.listSearch[order.method].call(
			context,
			order.search,
			order.after,
		);
		return { options: results, next: paginationToken ?? null };
	},
	async poll(order) {
		const { node, workflow, additionalData, nodeType } = stage(order);
		const errors = [];
		const emits = [() => {}, (error) => errors.push(error.message)];
		const context = new core.PollContext(workflow, node, additionalData, order.mode ?? 'trigger', 'activate', ...emits);
		try {
			ahead = order.ahead ?? 0;
			const found = await nodeType.poll.call(context);
			return { items: found === null ? [] : found[0], static: workflow.staticData, errors };
		} finally {
			ahead = 0;
		}
	},
	async hook(order) {
		const { node, workflow, additionalData, nodeType } = stage(order);
		const context = new core.HookContext(workflow, node, additionalData, 'trigger', 'activate', order.webhook);
		const done = await nodeType.webhookMethods.default[order.method].call(context);
		return { done, static: workflow.staticData, url: context.getNodeWebhookUrl('default') };
	},
	async event(order) {
		const { node, workflow, additionalData, nodeType } = stage(order);
		const answer = { status: 200 };
		additionalData.httpRequest = {
			body: {},
			rawBody: Buffer.from(order.body),
			headers: order.headers ?? {},
			params: {},
			query: {},
		};
		additionalData.httpResponse = {
			status(code) {
				answer.status = code;
				return this;
			},
			end() {},
		};
		const webhook = { webhookDescription: nodeType.description.webhooks[0] };
		const context = new core.WebhookContext(workflow, node, additionalData, 'webhook', webhook, [], null);
		const found = await nodeType.webhook.call(context);
		return { ...answer, items: found.workflowData?.[0] ?? [], static: workflow.staticData };
	},
	/** Several events at once; each sees the data that n8n had kept before. */
	async events(order) {
		const each = order.bodies.map((body) => ORDERS.event({ ...order, body, static: structuredClone(order.static) }));
		const answers = await Promise.all(each);
		return { items: answers.flatMap(({ items }) => items), static: answers[0].static };
	},
	async credential(order) {
		const { credentialTest } = nodeTypes.getByName(`${PACKAGE}.kontor`).methods;
		return await credentialTest.kontorTest.call(new core.CredentialTestContext(), { data: order.credential });
	},
	async describe(order) {
		const { description, methods } = nodeTypes.getByName(order.node);
		const properties = NodeHelpers.getNodeParameters(description.properties, {}, true, false, null, description);
		return { description, methods: Object.keys(methods.listSearch), defaults: properties };
	},
};

function told(error) {
	return {
		name: error.name,
		message: error.message,
		description: error.description ?? null,
		httpCode: error.httpCode ?? null,
		itemIndex: error.context?.itemIndex ?? null,
	};
}

/** The engine writes to the same stream; our lines are marked. */
function say(answer) {
	process.stdout.write(`@@${JSON.stringify(answer)}\n`);
}

async function main() {
	await loader.loadAll();
	const lines = readline.createInterface({ input: process.stdin });
	say({ ready: true });
	for await (const line of lines) {
		const order = JSON.parse(line);
		let answer;
		try {
			answer = { ok: true, ...(await ORDERS[order.do](order)) };
		} catch (error) {
			answer = { ok: false, error: told(error), ...error.more };
		}
		say(answer);
	}
	process.exit(0);
}

void main();
