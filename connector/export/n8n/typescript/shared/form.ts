import type { Field, Inputs } from './shapes';

const ADDITIONAL = 'additionalFields';
const LINES = 'lines';

/** Reads a parameter of the node; undefined when it has none of that name. */
export type Read = (name: string) => unknown;

/** Reads the binary field of that name as base64; undefined when the item has none. */
export type ReadFile = (name: string) => Promise<string | undefined>;

/** What a person has filled in; what was left empty is not there. */
export async function gather(fields: Field[], read: Read, file?: ReadFile): Promise<Inputs> {
	const shown = fields.filter((field) => !field.internal);
	const more = shown.some((field) => field.additional) ? asObject(read(ADDITIONAL)) : {};
	const found: Inputs = {};
	for (const field of shown) {
		const value = await filledIn(field, field.additional ? more[field.name] : read(field.name), file);
		if (!isEmpty(value)) found[field.name] = value;
	}
	return found;
}

async function filledIn(field: Field, value: unknown, file?: ReadFile): Promise<unknown> {
	if (isEmpty(value)) return undefined;
	if (field.type === 'file') return (await file?.(String(value))) ?? value;
	if (!field.fields) return value;
	const lines = Array.isArray(value) ? value : (asObject(value)[LINES] ?? (field.type === 'list' ? [] : value));
	if (field.type !== 'list') return await entry(field.fields, asObject(lines), file);
	const entries = [];
	for (const line of Array.isArray(lines) ? lines : [lines]) {
		entries.push(await entry(field.fields, asObject(line), file));
	}
	return entries.length ? entries : undefined;
}

/** One entry of a list, with fields that the form does not know of left to the check. */
async function entry(fields: Field[], given: Inputs, file?: ReadFile): Promise<Inputs> {
	const found: Inputs = {};
	for (const [name, value] of Object.entries(given)) {
		const field = fields.find((one) => one.name === name);
		const kept = field ? await filledIn(field, value, file) : value;
		if (!isEmpty(kept)) found[name] = kept;
	}
	return found;
}

export function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	return isPlainObject(value) && Object.keys(value).length === 0;
}

/** An object of ours, not a date or the like. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (Object.prototype.toString.call(value) !== '[object Object]') return false;
	return typeof (value as { toISO?: unknown }).toISO !== 'function';
}

function asObject(value: unknown): Inputs {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Inputs) : {};
}
