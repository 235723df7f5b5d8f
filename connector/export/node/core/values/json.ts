/** JSON without losses: every number becomes an exact one, and is written to the digit. */

import { Exact } from './exact.ts';
import type { Row } from './value_kinds.ts';
import { isObject } from './value_kinds.ts';

const MAX_DEPTH = 100;
const BLANK = /[ \t\r\n]*/y;
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const TOKEN = new RegExp(`[{}[\\],:]|${TEXT.source}|${NUMBER.source}|true|false|null`, 'y');

/** Why something is no JSON; the message is the name of a sentence. */
export class NotJson extends SyntaxError {
	readonly values: Row;

	constructor(reason: string, values: Row = {}) {
		super(reason);
		this.values = values;
	}
}

/** The name that an object has twice. */
export class Twice extends Error {}

/** Reads one JSON document; raises `NotJson` when it is none. */
export function readJson(text: string): unknown {
	return new Reader(text).document();
}

/** The same of what somebody wrote; raises `Twice` where an object has two members of one name. */
export function readUnambiguous(text: string): unknown {
	const reader = new Reader(text);
	const value = reader.document();
	if (reader.twice !== undefined) throw new Twice(reader.twice);
	return value;
}

/** JSON in one notation: names in order at every level, numbers in plain decimals without zeros at the end. */
export function canonical(value: unknown): string {
	if (value instanceof Exact) return value.bare().toString();
	if (typeof value === 'number') return Exact.parse(String(value))?.bare().toString() ?? '';
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (!isObject(value)) return writeJson(value);
	const names = Object.keys(value).sort(byCodePoints);
	const entries = names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
	return `{${entries.join(',')}}`;
}

/** JavaScript itself would put signs beyond U+FFFF before some that have lower code points. */
function byCodePoints(one: string, other: string): number {
	const [first, second] = [[...one], [...other]];
	const place = first.findIndex((sign, index) => sign !== second[index]);
	if (place < 0) return first.length - second.length;
	return (first[place]?.codePointAt(0) ?? 0) - (second[place]?.codePointAt(0) ?? -1);
}

/** Writes JSON; what is undefined is left out. Raises `NotJson` for what JSON cannot hold. */
export function writeJson(value: unknown, depth = 0): string {
	if (depth > MAX_DEPTH) throw tooDeep();
	if (value instanceof Exact) return value.toString();
	if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) {
		throw new NotJson('json_number', { number: String(value) });
	}
	if (Array.isArray(value)) return `[${value.map((one) => writeJson(one, depth + 1)).join(',')}]`;
	if (value === null || typeof value !== 'object' || 'toJSON' in value) return JSON.stringify(value) ?? 'null';
	const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
	return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${writeJson(inner, depth + 1)}`).join(',')}}`;
}

/** The same value as a platform can hold it: an exact number as a number where a double holds it, else as text. */
export function plain(value: unknown): unknown {
	if (value instanceof Exact) return value.toJSON();
	if (Array.isArray(value)) return value.map(plain);
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

class Reader {
	private readonly text: string;
	/** A name that an object has twice. */
	twice?: string;
	private at = 0;

	constructor(text: string) {
		this.text = text;
	}

	document(): unknown {
		const value = this.value(0);
		this.match(BLANK);
		if (this.at !== this.text.length) this.fail();
		return value;
	}

	private value(depth: number, token = this.next()): unknown {
		if (depth > MAX_DEPTH) throw tooDeep();
		if (token === '{') return this.object(depth + 1);
		if (token === '[') return this.list(depth + 1);
		if (token.startsWith('"')) return JSON.parse(token);
		if (token === 'null') return null;
		if (token === 'true' || token === 'false') return token === 'true';
		return Exact.parse(token) ?? this.fail();
	}

	private object(depth: number): Row {
		const entries: Array<[string, unknown]> = [];
		const names = new Set<string>();
		for (let token = this.next(); token !== '}'; token = this.next()) {
			const name = entries.length ? this.following(token) : token;
			if (!name.startsWith('"') || this.next() !== ':') this.fail();
			const own = JSON.parse(name) as string;
			entries.push([own, this.value(depth)]);
			if (names.has(own)) this.twice ??= own;
			names.add(own);
		}
		return Object.fromEntries(entries);
	}

	private list(depth: number): unknown[] {
		const items: unknown[] = [];
		for (let token = this.next(); token !== ']'; token = this.next()) {
			items.push(this.value(depth, items.length ? this.following(token) : token));
		}
		return items;
	}

	private following(token: string): string {
		return token === ',' ? this.next() : this.fail();
	}

	private next(): string {
		this.match(BLANK);
		return this.match(TOKEN) ?? this.fail();
	}

	private match(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.at;
		const match = pattern.exec(this.text);
		if (match) this.at = pattern.lastIndex;
		return match?.[0];
	}

	private fail(): never {
		const before = this.text.slice(0, this.at);
		const line = before.split('\n').length;
		throw new NotJson('json_misplaced', { line, column: before.length - before.lastIndexOf('\n') });
	}
}

function tooDeep(): NotJson {
	return new NotJson('json_too_deep', { most: MAX_DEPTH });
}
