/** What kind of value something is, and how it reads as text. */

import { Exact } from './exact.ts';
import type { Row } from './types.ts';

const MAX_ID_DIGITS = 100;
const DIGITS = new RegExp(`^[0-9]{1,${MAX_ID_DIGITS}}$`);

/** A plain object, not a list, an exact number or a date. */
export function isObject(value: unknown): value is Row {
	if (Object.prototype.toString.call(value) !== '[object Object]' || value instanceof Exact) return false;
	return typeof (value as { toISO?: unknown }).toISO !== 'function';
}

export function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Texts as they are, numbers in plain digits, truth values as `true` and `false`; anything else is empty. */
export function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'boolean' || typeof value === 'number' || value instanceof Exact ? String(value) : '';
}

/** The integer by which an id is ordered, of any size; undefined when it is no numeric id. */
export function numberOf(id: unknown): bigint | undefined {
	const text = textOf(id);
	return typeof id !== 'boolean' && DIGITS.test(text) ? BigInt(text) : undefined;
}

/** An object with no more than these of its fields. */
export function only(row: Row, names: string[]): Row {
	return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
}

/** The objects in a list. */
export function objectsIn(value: unknown): Row[] {
	return Array.isArray(value) ? value.filter(isObject) : [];
}
