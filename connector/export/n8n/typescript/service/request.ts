import { Exact } from './exact';
import { say, wrong } from './problem';
import type { Inputs, Manifest, OwnRequest } from './shapes';
import { MARKER, QUELLE } from './tables';

/** One call to the service, before it is sent. */
export interface Call {
	method: string;
	path: string;
	query: Array<[string, string]>;
	body?: unknown;
	headers: Record<string, string>;
	writes: boolean;
	ledger: boolean;
	/** A client of the ledger connection was chosen; otherwise its default client is meant. */
	clientNamed: boolean;
	timeout: number;
	/** The names that this call assumes, by the key that changes them. */
	wireNames: Record<string, string>;
}

const USUAL_TIMEOUT = 30_000;

/** The call for inputs that were checked. */
export function buildCall(manifest: Manifest, inputs: Inputs, writes: boolean, dropdown = false): Call {
	const path: Record<string, string> = {};
	const query: Array<[string, string]> = Object.entries(manifest.query ?? {});
	const body: Record<string, unknown> = {};
	let whole: unknown;
	for (const field of manifest.fields) {
		const value = inputs[field.name];
		if (value === undefined || !field.place) continue;
		if (field.place === 'path') path[field.name] = segment(field.name, value);
		else if (field.place === 'query') query.push([field.as ?? field.name, inQuery(value)]);
		else if (field.place === 'whole_body') whole = value;
		else body[field.as ?? field.name] = value;
	}
	const template = manifest.path ?? manifest.paths?.[String(inputs[manifest.by ?? ''])] ?? '';
	const headers = finish(query, Boolean(manifest.ledger), dropdown);
	return {
		method: manifest.method ?? 'GET',
		path: template.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? ''),
		query,
		body: whole ?? (Object.keys(body).length ? body : undefined),
		headers,
		writes,
		ledger: Boolean(manifest.ledger),
		clientNamed: inputs.client !== undefined,
		timeout: manifest.timeout ?? USUAL_TIMEOUT,
		wireNames: Object.fromEntries(
			manifest.fields.filter((field) => field.wire && field.as).map((field) => [field.wire, field.as]),
		),
	};
}

/** The call that a handler states itself. */
export function ownCall(manifest: Manifest, own: OwnRequest): Call {
	const reads = own.method === 'GET';
	const query = Object.entries(own.query).flatMap(([name, value]) =>
		(Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, inQuery(one)]),
	);
	return {
		method: own.method,
		path: own.path,
		headers: finish(query, own.ledger, false),
		query,
		body: reads ? undefined : own.body,
		writes: !reads,
		ledger: own.ledger,
		clientNamed: false,
		timeout: manifest.timeout ?? USUAL_TIMEOUT,
		wireNames: {},
	};
}

/** The query as it stands in an address. */
export function queryText(query: Array<[string, string]>): string {
	const text = query.map(([name, value]) => `${quote(name)}=${quote(value)}`).join('&');
	return text ? `?${text}` : '';
}

/** Says who calls, and whether only for a dropdown; what goes into headers is given back. */
function finish(query: Array<[string, string]>, ledger: boolean, dropdown: boolean): Record<string, string> {
	if (ledger) query.push(['quelle', QUELLE]);
	if (dropdown && MARKER.place === 'query') query.push([MARKER.key, MARKER.value]);
	return dropdown && MARKER.place === 'header' ? { [MARKER.key.toLowerCase()]: MARKER.value } : {};
}

function segment(name: string, value: unknown): string {
	const text = inQuery(value);
	if (text === '.' || text === '..') throw wrong(say('not_an_id'), name);
	return quote(text);
}

function inQuery(value: unknown): string {
	return value instanceof Exact ? value.toString() : String(value);
}

function quote(text: string): string {
	return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
