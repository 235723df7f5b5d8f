/** What a person has filled in, as the core takes it: out of n8n's collections, and with the files read. */

import type { Field } from '../core/manifest/pack';
import type { Row } from '../core/values/value_kinds';
import { isEmpty, isObject } from '../core/values/value_kinds';

const ADDITIONAL = 'additionalFields';
const LINES = 'lines';

/** How a form uses a lookup: where the lookup's own inputs come from, and whether the field may stay empty. */
export interface DropdownUse {
	lookup: string;
	inputs: Record<string, { from?: string; value?: string | boolean }>;
	optional?: boolean;
}

/** Reads a parameter of the node; empty when it has none of that name. */
export type Read = (name: string) => unknown;

/** Reads the binary field of that name as base64; undefined when the item has none. */
export type ReadFile = (name: string) => Promise<string | undefined>;

export async function gather(fields: Field[], read: Read, file?: ReadFile): Promise<Row> {
	const more = read(ADDITIONAL);
	const given = fields.filter(({ internal }) => !internal).map(({ name }): [string, unknown] => {
		const own = read(name);
		return [name, isEmpty(picked(own)) && isObject(more) ? more[name] : own];
	});
	return await entry(fields, Object.fromEntries(given), file);
}

/** What was picked from a list or typed instead: n8n keeps it with how it was entered. */
export function picked(value: unknown): unknown {
	return isObject(value) && '__rl' in value ? value.value : value;
}

/** Names that the form does not know are left to the check. */
async function entry(fields: Field[], given: Row, file?: ReadFile): Promise<Row> {
	const filled: Row = {};
	for (const [name, value] of Object.entries(given)) {
		const field = fields.find((one) => one.name === name);
		const held = field ? await filledIn(field, value, file) : value;
		if (!isEmpty(held) && !(isObject(held) && !Object.keys(held).length)) filled[name] = held;
	}
	return filled;
}

async function filledIn({ type, fields = [] }: Field, entered: unknown, file?: ReadFile): Promise<unknown> {
	const value = type === 'object' ? entered : picked(entered);
	if (type === 'file' && typeof value === 'string') return (await file?.(value)) ?? value;
	const held = fields.length && isObject(value) && LINES in value ? value[LINES] : value;
	if (!fields.length) return held;
	if (isObject(held)) return await entry(fields, held, file);
	if (!Array.isArray(held)) return held;
	return await Promise.all(held.map((line) => (isObject(line) ? entry(fields, line, file) : line)));
}
