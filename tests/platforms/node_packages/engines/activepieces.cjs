// Activepieces' own framework with the exported piece, and around it what the engine would hand over: one JSON order per
// line in, one JSON answer per line out.
//
// node activepieces.cjs FOLDER-OF-THE-PIECE HURRY

'use strict';

const path = require('node:path');
const readline = require('node:readline');
const { createRequire } = require('node:module');

const [folder, hurry] = process.argv.slice(2);
const need = createRequire(path.join(folder, 'package.json'));
const { ApFile, PropertyType } = need('@activepieces/pieces-framework');

/** How many times as fast pauses pass; what is longer is a time limit, and stays. */
const trueSetTimeout = setTimeout;
const factor = Number(hurry);
globalThis.setTimeout = (act, pause, ...rest) => trueSetTimeout(act, pause < 10_000 ? pause / factor : pause, ...rest);

let ahead = 0;
const trueNow = Date.now;
Date.now = () => trueNow() + ahead;

const module_ = need('./src/index.js');
const piece = Object.values(module_).find((one) => one.constructor.name === 'Piece');

const TEXTS = [PropertyType.SHORT_TEXT, PropertyType.LONG_TEXT];
const FILE = /^data:[^;]+;base64,(.+)$/;

/** What the engine makes of what was entered, before a piece sees it: texts of everything in a text field. */
function processed(properties, entered) {
	const values = Object.entries(entered).map(([name, value]) => [name, processedValue(properties[name], value)]);
	return Object.fromEntries(values);
}

function processedValue(property, value) {
	if (property === undefined || value === undefined || value === null) return value;
	if (TEXTS.includes(property.type)) {
		const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
		return text === '' && !property.required ? undefined : text;
	}
	if (property.type === PropertyType.ARRAY && property.properties && Array.isArray(value)) {
		const isRow = (line) => line !== null && typeof line === 'object';
		return value.map((line) => (isRow(line) ? processed(property.properties, line) : line));
	}
	if (property.type === PropertyType.FILE && typeof value === 'string') {
		const [, content] = FILE.exec(value) ?? [];
		return content ? new ApFile('unknown', Buffer.from(content, 'base64')) : null;
	}
	return value;
}

/** The stores of projects, by name. */
const stores = new Map();

function storeOf(name, flow, prefix) {
	if (!stores.has(name)) stores.set(name, new Map());
	const entries = stores.get(name);
	const place = (key, scope = 'FLOW') => {
		if (!key || key.length > 128) throw new Error(`not a key of a store: ${key}`);
		return scope === 'FLOW' ? `${prefix}flow_${flow}/${key}` : prefix + key;
	};
	return {
		get: async (key, scope) => {
			const text = entries.get(place(key, scope));
			return text === undefined ? null : JSON.parse(text);
		},
		put: async (key, value, scope) => {
			const text = JSON.stringify(value);
			if (text.length > 512 * 1024) throw new Error('too large for a store');
			entries.set(place(key, scope), text);
			return value;
		},
		delete: async (key, scope) => void entries.delete(place(key, scope)),
	};
}

function contextOf({ auth, store = 'a', flow = 'flow', test = false, step = 'step_1', run = 'run' }, properties, entered) {
	return {
		auth,
		propsValue: processed(properties, entered),
		store: storeOf(store, flow, test ? 'test' : ''),
		project: { id: store, externalId: async () => undefined },
		step: { name: step },
		run: { id: run },
		flows: { current: { id: flow, version: { id: '1' } } },
		server: { apiUrl: '', publicUrl: '', token: '' },
		files: {},
	};
}

const ORDERS = {
	async run(order) {
		const action = piece.getAction(order.action);
		const context = contextOf(order, action.props, order.props);
		return { output: (await (order.tried ? action.test : action.run)(context)) ?? null };
	},
	async at_once({ orders }) {
		return { answers: await Promise.all(orders.map(answered)) };
	},
	async options({ owner, kind, prop, auth, props = {} }) {
		const { props: properties } = kind === 'action' ? piece.getAction(owner) : piece.getTrigger(owner);
		return { state: await properties[prop].options({ auth, ...props }, { server: {}, project: {} }) };
	},
	async hook(order) {
		const trigger = piece.getTrigger(order.trigger);
		const schedules = [];
		const { webhookUrl = '', payload = {} } = order;
		const context = {
			...contextOf(order, trigger.props, order.props),
			webhookUrl,
			payload,
			setSchedule: (one) => schedules.push(one),
		};
		return { items: (await trigger[order.hook](context)) ?? null, schedules };
	},
	async validate({ auth }) {
		return { verdict: await piece.auth.validate({ auth, server: {} }) };
	},
	async metadata() {
		return { metadata: piece.metadata(), supports: piece.minimumSupportedRelease };
	},
	async dump({ store }) {
		return { entries: Object.fromEntries(stores.get(store) ?? []) };
	},
	async load({ store, entries }) {
		stores.set(store, new Map(Object.entries(entries)));
		return {};
	},
	async clock({ milliseconds }) {
		ahead = milliseconds;
		return {};
	},
};

async function answered(order) {
	try {
		return { ok: true, ...(await ORDERS[order.do](order)) };
	} catch (error) {
		return { ok: false, error: { ...error, message: error.message, stack: error.stack } };
	}
}

function say(answer) {
	process.stdout.write(`@@${JSON.stringify(answer)}\n`);
}

async function main() {
	say({ ready: true });
	for await (const line of readline.createInterface({ input: process.stdin })) say(await answered(JSON.parse(line)));
	process.exit(0);
}

void main();
