/** Turns one raw input into the exact value of its field's type, or says why it cannot be one. */

import { bytesIn } from './base64.ts';
import { day, instant } from './dates.ts';
import { Exact } from './exact.ts';
import { inFormat } from './formats.ts';
import { readJson, writeJson } from './json.ts';
import { Misfit } from './messages.ts';
import type { Field, Pack } from './types.ts';
import { isObject } from './values.ts';

const MAX_CHARACTERS = 4000;
const MAX_FILE_MEGABYTES = 20;
export const MEGABYTE = 1024 * 1024;
/** Tabs and line breaks are no control characters here. */
const CONTROL = /(?![\t\n\r\u0080-\u009f])\p{Cc}|\p{Cs}/u;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The value of a field that has no named fields inside. Files stay base64, dates and date-times text. */
export function converted(pack: Pack, field: Field, value: unknown): unknown {
	switch (field.type) {
		case 'money':
		case 'number':
			return bounded(field, Exact.read(value) ?? notANumber(value));
		case 'integer':
			return bounded(field, integer(value));
		case 'boolean':
			return truth(value);
		case 'date':
			return day(value) ?? new Misfit('not_a_date');
		case 'date-time':
			return instant(value) ?? new Misfit('not_a_date_time');
		case 'enum':
			return choice(pack, field, value);
		case 'object':
			return freeObject(value);
		case 'file':
			return file(value);
		default:
			return text(pack, field, value);
	}
}

function text(pack: Pack, field: Field, value: unknown): string | Misfit {
	// Spreadsheets send account numbers as numbers; beyond this bound one has lost digits on its way here.
	if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
		return new Misfit('id_lost_digits');
	}
	const isWhole = Number.isInteger(value) || (value instanceof Exact && value.scale === 0);
	const found = isWhole ? String(value) : value;
	if (typeof found !== 'string') return new Misfit('not_text');
	const tidy = found.trim();
	const [longest, length] = [field.max_length ?? MAX_CHARACTERS, [...tidy].length];
	if (!tidy) return new Misfit('empty');
	if (length > longest) return new Misfit('too_long', { longest, length });
	if (CONTROL.test(tidy)) return new Misfit('control_characters');
	return inFormat(pack, field.format ?? 'text', tidy);
}

function choice(pack: Pack, field: Field, value: unknown): string | Misfit {
	const found = text(pack, field, value);
	const values = (field.values ?? []).map((one) => one.value);
	if (found instanceof Misfit || field.open || values.includes(found)) return found;
	return new Misfit('not_a_choice', { choices: values.join(', ') });
}

function notANumber(value: unknown): Misfit {
	return new Misfit(typeof value === 'string' && value.includes(',') ? 'german_number' : 'not_a_number');
}

function integer(value: unknown): Exact | Misfit {
	const found = Exact.read(value)?.bare();
	return found?.scale === 0 && Number.isSafeInteger(Number(found.units)) ? found : new Misfit('not_an_integer');
}

function bounded(field: Field, found: Exact | Misfit): Exact | Misfit {
	if (found instanceof Misfit) return found;
	const [least, most] = [Exact.read(field.min), Exact.read(field.max)];
	if (least && found.compare(least) < 0) return new Misfit('too_small', { least });
	return most && found.compare(most) > 0 ? new Misfit('too_large', { most }) : found;
}

function truth(value: unknown): boolean | Misfit {
	const found = typeof value === 'string' ? value.trim().toLowerCase() : String(value);
	return found === 'true' || found === 'false' ? found === 'true' : new Misfit('not_a_boolean');
}

/** Forms give an object as JSON text too. */
function freeObject(value: unknown): unknown {
	const found = typeof value === 'string' ? orNothing(() => readJson(value)) : value;
	if (!isObject(found)) return new Misfit('not_an_object');
	try {
		writeJson(found);
		return found;
	} catch (error) {
		return new Misfit('not_json', { why: (error as Error).message });
	}
}

function file(value: unknown): string | Misfit {
	if (typeof value !== 'string') return new Misfit('not_a_file');
	const content = (value.startsWith('data:') ? value.replace(/^[^,]*,?/, '') : value).replace(/\s/g, '');
	if (!BASE64.test(content) || content.length % 4) return new Misfit('not_base64');
	if (!content) return new Misfit('not_a_file');
	if (bytesIn(content) <= MAX_FILE_MEGABYTES * MEGABYTE) return content;
	return new Misfit('file_too_large', { megabytes: MAX_FILE_MEGABYTES });
}

function orNothing(read: () => unknown): unknown {
	try {
		return read();
	} catch {
		return undefined;
	}
}
