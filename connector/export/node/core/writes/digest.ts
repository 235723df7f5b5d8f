/** The digest of a write: equal for equal inputs, however they were written. Python computes the same one. */

import type { Field, Inputs } from '../manifest/pack.ts';
import type { Sha256 } from '../platform.ts';
import { utc } from '../values/dates.ts';
import { Exact } from '../values/exact.ts';
import { writeJson } from '../values/json.ts';
import type { Row } from '../values/value_kinds.ts';
import { bytesOf, isObject, textOf } from '../values/value_kinds.ts';

/** Of its rules. */
const VERSION = '2:';

/** The digest of an action with inputs that were checked. */
export function digest(sha256: Sha256, action: string, fields: Field[], inputs: Inputs): string {
	return `${VERSION}${sha256(`${action}\n${canonical(typed(sha256, fields, inputs))}`)}`;
}

/** Whether a digest can be compared: one by other rules says nothing. */
export function isComparable(found: string): boolean {
	return found.startsWith(VERSION);
}

/** The inputs with points in time in UTC, and files as their size and digest. */
function typed(sha256: Sha256, fields: Field[], inputs: Row): Row {
	const value = (name: string, given: unknown): unknown => {
		const { type, fields: inner = [] } = fields.find((field) => field.name === name) ?? {};
		if (type === 'date-time') return utc(given);
		if (type === 'file') return fileOf(sha256, textOf(given));
		if (Array.isArray(given)) return given.map((one) => typed(sha256, inner, one as Row));
		return inner.length ? typed(sha256, inner, given as Row) : given;
	};
	return Object.fromEntries(Object.entries(inputs).map(([name, given]) => [name, value(name, given)]));
}

function fileOf(sha256: Sha256, base64: string): Row {
	const bytes = bytesOf(base64);
	return { bytes: bytes.length, sha256: sha256(bytes) };
}

/** JSON in one notation: names in order at every level, numbers in plain decimals without zeros at the end. */
function canonical(value: unknown): string {
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
