/** What kind of value something is, and how it reads as text. */

import { Exact } from './exact.ts';

/** One object of an answer or an event. */
export type Row = Record<string, unknown>;

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

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(128);
for (const [value, sign] of [...ALPHABET].entries()) VALUES[sign.charCodeAt(0)] = value;

export function bytesIn(base64: string): number {
	return (base64.length * 3) / 4 - (base64.length - base64.replace(/=+$/, '').length);
}

export function bytesOf(base64: string): Uint8Array {
	const bytes = new Uint8Array(bytesIn(base64));
	const value = (at: number): number => VALUES[base64.charCodeAt(at)] ?? 0;
	for (let [at, place] = [0, 0]; place < bytes.length; at += 4, place += 3) {
		const bits = (value(at) << 18) | (value(at + 1) << 12) | (value(at + 2) << 6) | value(at + 3);
		// What would stand behind the last byte is padding, and is not kept.
		bytes[place] = bits >> 16;
		bytes[place + 1] = bits >> 8;
		bytes[place + 2] = bits;
	}
	return bytes;
}

/** What does not fit a field; its sentence is said by whoever knows the field. */
export class Misfit {
	readonly reason: string;
	readonly values: Row;

	constructor(reason: string, values: Row = {}) {
		this.reason = reason;
		this.values = values;
	}
}
