/** Turns a manifest and checked inputs into the call that will be sent. Pure: a dry run stops here. */

import type { OwnRequest } from '../manifest/code.ts';
import type { Field, Inputs, Manifest, Pack } from '../manifest/pack.ts';
import { problem, refusal, sayer } from '../messages.ts';
import type { Outgoing } from '../platform.ts';
import { checkDeclared } from '../rules/checks.ts';
import type { When } from '../values/dates.ts';
import { writeJson } from '../values/json.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';

export const USUAL_SECONDS = 30;
const QUELLE = 'quelle';

/** One call to the service, before it is sent. */
export interface Call {
	method: string;
	/** Below the base URL. */
	path: string;
	query: Map<string, string | string[]>;
	headers: Record<string, string>;
	body: unknown;
	writes: boolean;
	/** A success must name what was made: a write without that may not have been done. */
	namesResult?: boolean;
	/** What of it a success must name, any of these. */
	madeNames?: string[];
	/** What it writes can be found again. */
	findable: boolean;
	/** A repeat would make it twice: one request, and whoever records it decides about another. */
	once: boolean;
	/** It carries the label of the calling source. */
	quelle: boolean;
	/** It only fills a dropdown. */
	lookup: boolean;
	/** A client of the ledger connection was chosen; otherwise its default client is meant. */
	clientNamed: boolean;
	/** Milliseconds that one answer may take. */
	timeout: number;
	/** The names that this call assumes, by the key that changes them. */
	wireNames: Record<string, string>;
}

/** The call for inputs that were checked. */
export function buildCall(pack: Pack, manifest: Manifest, inputs: Inputs): Call {
	const { request } = manifest;
	if (!request) throw new Error(`${manifest.id} sends nothing`);
	const query = new Map<string, string | string[]>(Object.entries(request.query ?? {}));
	const body: Record<string, unknown> = {};
	let whole: unknown;
	for (const field of manifest.inputs) {
		const value = inputs[field.name];
		if (value === undefined) continue;
		if (field.in === 'query') query.set(wireName(pack, field), textOf(value));
		else if (field.in === 'body') body[wireName(pack, field)] = value;
		else if (field.in === 'whole_body') whole = value;
		else if (field.in === 'beside_body') Object.assign(body, undeclared(pack, manifest, field, value as Row));
		else if (field.in === 'beside_query') {
			for (const [name, one] of Object.entries(undeclared(pack, manifest, field, value as Row))) {
				if (one !== '' && textOf(one) === '') {
					throw refusal(pack.messages, { reason: 'extra_value', field: field.name, values: { name } });
				}
				query.set(name, textOf(one));
			}
		}
	}
	const { path = request.paths?.choose[textOf(inputs[request.paths.by])] ?? '' } = request;
	const assumed = manifest.inputs.filter((field) => field.wire && field.as && field.in === 'query');
	const call = {
		method: request.method,
		path: path.replace(/\{(\w+)\}/g, (_, name: string) => segment(pack, manifest, name, inputs)),
		query,
		body: whole ?? (Object.keys(body).length ? body : undefined),
		writes: Boolean(manifest.writes),
		namesResult: manifest.repeat === 'duplicates' && !manifest.output?.shape?.else_answer,
		madeNames: request.answer?.names,
		quelle: Boolean(manifest.quelle),
		clientNamed: manifest.inputs.some(({ format, name }) => format === 'client' && inputs[name] !== undefined),
		wireNames: Object.fromEntries(assumed.map(({ wire = '', as }) => [wire, as ?? ''])),
	};
	return finished(pack, manifest, call);
}

/** What an input adds to a query or body under names of its own; those that are declared are refused. */
function undeclared({ messages }: Pack, { inputs }: Manifest, { name: field, label }: Field, given: Row): Row {
	const taken = inputs.flatMap(({ name, as }) => [name, as ?? name]).filter((name) => name !== field);
	const names = new Set([QUELLE, ...taken.map((name) => name.toLowerCase())]);
	const name = Object.keys(given).find((one) => names.has(one.toLowerCase()));
	if (name === undefined) return given;
	throw refusal(messages, { reason: 'extra_declared', field, label, values: { name } });
}

/** The call that code states itself. */
export function ownCall(
	pack: Pack,
	manifest: Manifest,
	{ method, path, query = {}, body, quelle }: OwnRequest,
	when: When,
): Call {
	const values = Object.entries(query).map(([name, value]): [string, string | string[]] => [
		name,
		Array.isArray(value) ? value.map(textOf) : textOf(value),
	]);
	if (method !== 'GET') checkWrittenPath(pack, method, path);
	const declared = Object.values(pack.actions).find(({ request }) => request && isAt(request, method, path));
	if (declared) checkDeclared(pack, declared, query, body, when);
	const conduct = { writes: method !== 'GET', clientNamed: false, wireNames: {} };
	const sent = method === 'GET' ? undefined : body;
	const begun = { method, path, query: new Map(values), body: sent, ...conduct };
	const { timeout } = declared ?? manifest;
	return finished(pack, { ...manifest, timeout }, { ...begun, quelle: Boolean(declared ? declared.quelle : quelle) });
}

/** Refuses a write where money or the webhook URL moves, and to any path that no action declares to the letter. */
function checkWrittenPath({ actions, messages }: Pack, method: string, path: string): void {
	if (isGuarded(actions, path)) {
		throw refusal(messages, { reason: 'path_guarded', field: 'path', label: 'path', values: { path } });
	}
	const isPlain = /^(\/[A-Za-z0-9_-]+)+$/.test(path);
	if (isPlain && Object.values(actions).some(({ request }) => request && isAt(request, method, path))) return;
	const say = sayer(messages);
	const details = { outcome: 'not_sent', field: 'path', remedy: say('path_guarded_remedy') } as const;
	throw problem(say, 'right_missing', 'path_undeclared', { path }, details);
}

/** Whether an action is there for a path, or for one above it, that moves money or the webhook URL. */
function isGuarded(actions: Pack['actions'], path: string): boolean {
	const parts: string[] = [];
	for (const part of decoded(decoded(path)).toLowerCase().split('/')) {
		if (part === '..') parts.pop();
		else if (part !== '' && part !== '.') parts.push(part);
	}
	return Object.values(actions).some(({ moves, request }) => {
		const fixed = (request?.path ?? '').toLowerCase().split('/').slice(1);
		return moves !== undefined && fixed.every((part, index) => part === parts[index]);
	});
}

function decoded(path: string): string {
	return path.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Whether a declared request goes to this path; a placeholder stands for one part of it. */
function isAt(request: NonNullable<Manifest['request']>, method: string, path: string): boolean {
	const { method: asked, path: only = '', paths } = request;
	const parts = path.replace(/\/+$/, '').split('/');
	return [only, ...Object.values(paths?.choose ?? {})].some((one) => {
		const wanted = one.split('/');
		const isSame = wanted.every((part, index) => part.startsWith('{') || part === parts[index]);
		return asked === method && isSame && wanted.length === parts.length;
	});
}

/** The request to the letter. */
export function outgoing(call: Call, baseUrl: string): Outgoing {
	const pairs = [...call.query].flatMap(([name, values]) =>
		[values].flat().map((one) => `${quote(name)}=${quote(one)}`),
	);
	const isSent = call.body !== undefined && call.body !== null;
	return {
		method: call.method,
		url: baseUrl + call.path + (pairs.length ? `?${pairs.join('&')}` : ''),
		headers: {
			accept: 'application/json',
			...call.headers,
			...(isSent ? { 'content-type': 'application/json' } : {}),
		},
		...(isSent ? { body: writeJson(call.body) } : {}),
		timeout: call.timeout,
	};
}

type Begun = Omit<Call, 'headers' | 'lookup' | 'timeout' | 'findable' | 'once'>;

/** Says who calls, and whether only for a dropdown. */
function finished(pack: Pack, manifest: Manifest, call: Begun): Call {
	const { marker } = pack;
	const lookup = manifest.kind === 'lookup';
	const headers: Record<string, string> = {};
	if (call.quelle) call.query.set(QUELLE, pack.quelle);
	const { marked = false } = manifest;
	if (marked && marker.place === 'query') call.query.set(marker.name ?? '', marker.value ?? '');
	if (marked && marker.place === 'header') headers[(marker.name ?? '').toLowerCase()] = marker.value ?? '';
	const findable = manifest.read_back !== undefined;
	const once = call.writes && manifest.repeat === 'duplicates';
	return { ...call, headers, lookup, findable, once, timeout: (manifest.timeout ?? USUAL_SECONDS) * 1000 };
}

function wireName({ messages }: Pack, { name, label, as, wire: key }: Field): string {
	if (as !== null) return as ?? name;
	throw refusal(messages, { reason: 'wire_name_absent', field: name, label, values: { key } });
}

function segment({ messages }: Pack, { inputs: fields }: Manifest, name: string, inputs: Inputs): string {
	const text = textOf(inputs[name]);
	if (text !== '.' && text !== '..') return quote(text);
	const label = fields.find((field) => field.name === name)?.label;
	throw refusal(messages, { reason: 'not_an_id', field: name, label, values: {} });
}

function quote(text: string): string {
	return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
