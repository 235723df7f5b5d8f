/** The digest of a write: equal for equal inputs, however they were written. Python computes the same one. */

import type { Field, Inputs } from '../manifest/pack.ts';
import type { Sha256 } from '../platform.ts';
import { utc } from '../values/dates.ts';
import { canonical } from '../values/json.ts';
import type { Row } from '../values/value_kinds.ts';
import { bytesOf, textOf } from '../values/value_kinds.ts';

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
