import { Exact, readJson } from './exact';
import { isPlainObject } from './form';
import { wrong, say } from './problem';
import type { Field, Inputs } from './shapes';

/** Inputs as the host takes them: JSON typed as text becomes an object, dates of n8n become text. The host checks. */
export function plainInputs(fields: Field[], given: Inputs): Inputs {
	const found: Inputs = {};
	for (const [name, value] of Object.entries(given)) {
		const field = fields.find((one) => one.name === name);
		found[name] = field ? plainInput(field, value) : value;
	}
	return found;
}

function plainInput(field: Field, value: unknown): unknown {
	if (field.fields && Array.isArray(value)) return value.map((line) => plainInputs(field.fields ?? [], line as Inputs));
	if (field.fields && isPlainObject(value)) return plainInputs(field.fields, value);
	if (field.type === 'object' && typeof value === 'string') return json(field.name, value);
	if (field.type === 'date') return written(value).slice(0, 10);
	if (field.type === 'date-time') return written(value);
	if (field.type === 'money' || field.type === 'number' || field.type === 'integer') return Exact.read(value) ?? value;
	if (typeof value === 'number' && !Number.isSafeInteger(value)) throw wrong(say('id_lost_digits'), field.name);
	return typeof value === 'number' ? String(value) : value;
}

function json(name: string, text: string): unknown {
	try {
		return readJson(text);
	} catch (error) {
		return fail(name, (error as Error).message);
	}
}

function written(value: unknown): string {
	const iso = (value as { toISO?: () => string } | null)?.toISO?.();
	return iso ?? (value instanceof Date ? value.toISOString() : String(value));
}

function fail(name: string, why: string): never {
	throw wrong(say('not_json', { why }), name);
}
