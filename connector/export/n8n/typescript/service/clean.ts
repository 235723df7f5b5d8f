/** Checks the inputs of a step before anything is sent, and makes exact values of them. */

import { day, instant } from './dates';
import { Exact, readJson } from './exact';
import { isEmpty, isPlainObject } from './form';
import { FORMATS, minorUnits, Misfit } from './formats';
import { say, wrong } from './problem';
import type { Field, Inputs } from './shapes';

const MOST_CHARACTERS = 4000;
const MOST_ITEMS = 1000;
const BREAKS = /[\t\n\r]/g;

/** The inputs as exact values; a problem names the field. */
export function clean(fields: Field[], raw: Inputs): Inputs {
	const inputs = cleanObject(fields, raw, '');
	checkDecimals(fields, inputs, inputs, '');
	return inputs;
}

function cleanObject(fields: Field[], raw: Inputs, above: string): Inputs {
	const known = new Set(fields.flatMap((field) => [field.name, ...(field.aliases ?? [])]));
	for (const name of Object.keys(raw)) {
		if (!known.has(name) && !isEmpty(raw[name])) throw wrong(say('unknown_input', { field: above + name }), above + name);
	}
	const found: Inputs = {};
	for (const field of fields) {
		const path = above + field.name;
		const names = [field.name, ...(field.aliases ?? [])];
		const value = names.map((name) => raw[name]).find((one) => !isEmpty(one)) ?? field.default;
		if (!isEmpty(value)) found[field.name] = cleanValue(field, value, path);
		else if (field.required || field.listRequired) throw wrong(say('missing', { field: path }), path);
	}
	return found;
}

function cleanValue(field: Field, value: unknown, path: string): unknown {
	if (field.type === 'list') {
		if (!Array.isArray(value)) throw wrong(say('not_a_list'), path);
		if (value.length > MOST_ITEMS) throw wrong(say('list_too_long', { most: MOST_ITEMS }), path);
		if (field.listRequired && !value.length) throw wrong(say('list_empty', { field: path }), path);
		return value.map((line, place) => cleanObject(field.fields ?? [], asObject(line, path), `${path}[${place}].`));
	}
	if (field.type === 'object' && field.fields) return cleanObject(field.fields, asObject(value, path), `${path}.`);
	const found = converted(field, value);
	if (found instanceof Misfit) throw wrong(found.message, path);
	return found;
}

function converted(field: Field, value: unknown): unknown {
	switch (field.type) {
		case 'money':
		case 'number':
			return number(field, value);
		case 'integer':
			return integer(field, value);
		case 'boolean':
			if (typeof value === 'boolean') return value;
			if (value === 'true' || value === 'false') return value === 'true';
			return new Misfit(say('not_a_boolean'));
		case 'date':
			return day(value) ?? new Misfit(say('not_a_date'));
		case 'date-time':
			return instant(value) ?? new Misfit(say('not_a_date_time'));
		case 'object':
			return freeObject(value);
		case 'file':
			return file(value);
		case 'enum':
			return choice(field, value);
		default:
			return text(field, value);
	}
}

function text(field: Field, value: unknown): unknown {
	if (typeof value === 'number' && Number.isInteger(value)) {
		// Beyond this an id has already lost digits on its way through n8n.
		if (!Number.isSafeInteger(value)) return new Misfit(say('id_lost_digits'));
		value = String(value);
	}
	if (typeof value !== 'string') return new Misfit(say('not_text'));
	const tidy = value.trim();
	const longest = field.maxLength ?? MOST_CHARACTERS;
	if (!tidy) return new Misfit(say('empty'));
	if ([...tidy].length > longest) return new Misfit(say('too_long', { longest, length: [...tidy].length }));
	if (/\p{Cc}/u.test(tidy.replace(BREAKS, ''))) return new Misfit(say('control_characters'));
	return FORMATS[field.format ?? '']?.(tidy) ?? tidy;
}

function number(field: Field, value: unknown): Exact | Misfit {
	const found = Exact.read(value);
	if (!found) {
		return new Misfit(say(typeof value === 'string' && value.includes(',') ? 'german_number' : 'not_a_number'));
	}
	return misfitBounds(field, found) ?? found;
}

function integer(field: Field, value: unknown): Exact | Misfit {
	const found = Exact.read(value);
	if (!found || found.decimals() > 0 || !Number.isSafeInteger(Number(found.toString()))) {
		return new Misfit(say('not_an_integer'));
	}
	return misfitBounds(field, found) ?? found.bare();
}

function misfitBounds(field: Field, found: Exact): Misfit | undefined {
	const [least, most] = [Exact.read(field.min), Exact.read(field.max)];
	if (least && found.compare(least) < 0) return new Misfit(say('too_small', { least: field.min }));
	if (most && found.compare(most) > 0) return new Misfit(say('too_large', { most: field.max }));
	return undefined;
}

function choice(field: Field, value: unknown): unknown {
	const found = text(field, value);
	if (found instanceof Misfit || field.open || field.values?.includes(found as string)) return found;
	return new Misfit(say('not_a_choice', { choices: (field.values ?? []).join(', ') }));
}

function freeObject(value: unknown): unknown {
	try {
		const found = typeof value === 'string' ? readJson(value) : value;
		return isPlainObject(found) ? found : new Misfit(say('not_an_object'));
	} catch (error) {
		return new Misfit(say('not_json', { why: (error as Error).message }));
	}
}

function file(value: unknown): unknown {
	const given = typeof value === 'string' ? value : '';
	const content = (given.startsWith('data:') ? given.slice(given.indexOf(',') + 1) : given).replace(/\s/g, '');
	const fits = /^[A-Za-z0-9+/]+={0,2}$/.test(content) && content.length % 4 === 0;
	return fits ? content : new Misfit(say('not_base64'));
}

/** Refuses an amount with more decimals than its currency has. */
function checkDecimals(fields: Field[], inputs: Inputs, here: Inputs, above: string): void {
	for (const field of fields) {
		const value = here[field.name];
		if (field.currencyField && value instanceof Exact) {
			const currency = String(inputs[field.currencyField] ?? 'EUR');
			const decimals = minorUnits(currency);
			if (value.decimals() > decimals) {
				const path = above + field.name;
				throw wrong(say('too_many_decimals', { amount: value, currency, decimals }), path);
			}
		}
		if (!field.fields || !value) continue;
		if (!Array.isArray(value)) checkDecimals(field.fields, inputs, value as Inputs, `${above}${field.name}.`);
		else {
			value.forEach((line, place) =>
				checkDecimals(field.fields ?? [], inputs, line as Inputs, `${above}${field.name}[${place}].`),
			);
		}
	}
}

function asObject(value: unknown, path: string): Inputs {
	if (!isPlainObject(value)) throw wrong(say('not_an_object'), path);
	return value;
}
