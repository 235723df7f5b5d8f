// The real Node-RED in this process, with the exported package in its user folder: one JSON order per line in, one JSON
// answer per line out.
//
// node node_red.cjs USER-FOLDER HURRY SETTINGS, started in a folder whose node_modules hold node-red.

'use strict';

const http = require('node:http');
const path = require('node:path');
const readline = require('node:readline');
const { createRequire } = require('node:module');

const need = createRequire(path.join(process.cwd(), 'package.json'));
const RED = need('node-red');
const express = createRequire(need.resolve('node-red'))('express');

const [userDir, hurry, more] = process.argv.slice(2);

/** How many times as fast pauses pass; what is longer is a time limit, and stays. */
const trueSetTimeout = setTimeout;
const factor = Number(hurry);
globalThis.setTimeout = (act, pause, ...rest) => trueSetTimeout(act, pause < 10_000 ? pause / factor : pause, ...rest);

/** How many milliseconds later it is than in truth. */
let ahead = 0;
const trueNow = Date.now;
Date.now = () => trueNow() + ahead;

const logged = [];
const note = ({ level, id, msg }) => logged.push({ level, id, text: String(msg) });
const sent = [];
const statuses = {};
const completions = new Map();

const app = express();
const server = http.createServer(app);
const settings = {
	userDir,
	httpAdminRoot: '/',
	httpNodeRoot: '/api/',
	credentialSecret: 'only for tests',
	flowFile: 'flows.json',
	telemetry: { enabled: false },
	logging: { kontor: { level: 'warn', handler: () => note } },
	contextStorage: { default: { module: 'localfilesystem', config: { cache: false } }, brief: { module: 'memory' } },
	...JSON.parse(more ?? '{}'),
};
RED.init(server, settings);
app.use(settings.httpAdminRoot, RED.httpAdmin);
app.use(settings.httpNodeRoot, RED.httpNode);

/** What JSON cannot hold, as a message may. */
function revived(value) {
	if (Array.isArray(value)) return value.map(revived);
	if (value === null || typeof value !== 'object') return value;
	if ('$jsdate' in value) return new Date(value.$jsdate);
	if ('$buffer' in value) return Buffer.from(value.$buffer, 'base64');
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revived(inner)]));
}

const base = () => `http://127.0.0.1:${server.address().port}`;
const copied = (value) => JSON.parse(JSON.stringify(value));
const sentBy = (id) => sent.filter((one) => one.node === id);

async function input({ node: id, msg }) {
	const node = RED.nodes.getNode(id);
	if (!node) throw new Error(`there is no node ${id}`);
	const message = revived(msg);
	const before = sent.length;
	const completed = new Promise((resolve) => completions.set(message, resolve));
	node.receive(message);
	const error = await completed;
	await new Promise(setImmediate); // what was sent is on its way to the next nodes
	await new Promise(setImmediate);
	const own = sent.slice(before).filter((one) => one.msgid === message._msgid);
	return {
		outputs: own.filter((one) => one.node === id).map(({ port, msg }) => ({ port, msg })),
		caught: own.filter((one) => one.node === 'catch').map((one) => one.msg),
		error: error && { message: error.toString(), code: error.code, cause: error.cause, stack: error.stack },
		status: statuses[id],
	};
}

const ORDERS = {
	/** The admin API answers before the flows have started. */
	async deploy({ flows, type = 'full' }) {
		const started = new Promise((resolve) => RED.events.once('flows:started', resolve));
		const answer = await fetch(`${base()}/flows`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'Node-RED-Deployment-Type': type },
			body: JSON.stringify(flows),
		});
		if (!answer.ok) throw new Error(`deploy: ${answer.status} ${await answer.text()}`);
		await started;
		return {};
	},
	input,
	async at_once({ orders }) {
		return { answers: await Promise.all(orders.map(input)) };
	},
	/** What a node has sent since it was asked last. */
	async drain({ node }) {
		const own = sentBy(node);
		for (const one of own) sent.splice(sent.indexOf(one), 1);
		return { messages: own.map(({ msg }) => msg) };
	},
	async status({ node }) {
		return { status: statuses[node] ?? null };
	},
	async logged() {
		return { entries: logged.splice(0) };
	},
	async clock({ milliseconds }) {
		ahead = milliseconds;
		return {};
	},
	async settle() {
		await RED.stop();
		return {};
	},
};

function say(answer) {
	process.stdout.write(`@@${JSON.stringify(answer)}\n`);
}

async function main() {
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const started = new Promise((resolve) => RED.events.once('flows:started', resolve));
	await RED.start();
	await started;
	RED.hooks.add('onSend.kontor', (events) => {
		for (const { msg, source } of events) {
			sent.push({ node: source.id, port: source.port, msgid: msg._msgid, msg: copied(msg) });
		}
	});
	RED.hooks.add('onComplete.kontor', ({ msg, error }) => {
		completions.get(msg)?.(error ?? null);
		completions.delete(msg);
	});
	RED.events.on('node-status', ({ id, status }) => (statuses[id] = status));
	say({ ready: true, url: base() });
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const order = JSON.parse(line);
		ORDERS[order.do](order).then(
			(answer) => say({ ok: true, ...answer }),
			(error) => say({ ok: false, error: error.stack ?? String(error) }),
		);
	}
	process.exit(0);
}

main().catch((error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exit(1);
});
