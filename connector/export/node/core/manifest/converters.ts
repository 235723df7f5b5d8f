/** Turns one raw input into the exact value of its field's type, or says why it cannot be one. */

import { sayer } from '../messages.ts';
import type { When } from '../values/dates.ts';
import { Exact } from '../values/exact.ts';
import type { NotJson } from '../values/json.ts';
import { readUnambiguous, Twice, writeJson } from '../values/json.ts';
import { zonedText } from '../values/localize.ts';
import type { Row } from '../values/value_kinds.ts';
import { bytesIn, isObject, Misfit, textOf } from '../values/value_kinds.ts';
import { readDay, readInstant } from '../values/written_dates.ts';
import { minorUnits, Misread, PERCENT, readNumber } from '../values/written_numbers.ts';
import { inFormat } from './formats.ts';
import type { Field, Pack } from './pack.ts';

const MAX_CHARACTERS = 4000;
const MAX_FILE_MEGABYTES = 20;
export const MEGABYTE = 1024 * 1024;
/** Tabs and line breaks are no control characters here. */
const CONTROL = /(?![\t\n\r\u0080-\u009f])\p{Cc}|\p{Cs}/u;
const USUAL_CURRENCY = 'EUR';
/** Numbers that are shown where none was entered, unless they do not fit the field. */
const EXAMPLES = ['1234.50', '14'];
const TRUTH = { yes: ['true', 'ja', 'yes', 'wahr', '1', 'x'], no: ['false', 'nein', 'no', 'falsch', '0'] };
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What was read but looks unintended. */
export type Notice = (warning: string, values: Row) => void;

/** The value of a field that has no named fields inside. Files stay base64, dates and date-times text. */
export function converted(
	pack: Pack,
	field: Field,
	value: unknown,
	all: Row,
	when: When,
	notice: Notice,
): unknown {
	switch (field.type) {
		case 'money':
			return bounded(field, measured(pack, field, value, currencyOf(pack, field, all)));
		case 'number':
			return bounded(field, measured(pack, field, value));
		case 'integer':
			return bounded(field, integer(pack, field, value));
		case 'boolean':
			return truth(value);
		case 'date':
			return readDay(value, when, pack.lang);
		case 'date-time':
			return dateTime(pack, value, when, notice);
		case 'enum':
			return choice(pack, field, value);
		case 'object':
			return freeObject(pack, value);
		case 'file':
			return file(value);
		default:
			return text(pack, field, value);
	}
}

/** The currency of an amount among all inputs, before they are read. */
export function currencyOf({ tables }: Pack, { currency_field }: Field, all: Row): string {
	const given = textOf(all[currency_field ?? '']).trim().toUpperCase();
	return tables.currencies.some(({ code }) => code === given) ? given : USUAL_CURRENCY;
}

function text(pack: Pack, field: Field, value: unknown): string | Misfit {
	const isNumber = typeof value === 'number' || value instanceof Exact;
	const written = isNumber ? digits(value) : value;
	if (written instanceof Misfit) return written;
	if (typeof written !== 'string') return new Misfit('not_text');
	const tidy = written.trim();
	const [longest, length] = [field.max_length ?? MAX_CHARACTERS, [...tidy].length];
	if (!tidy) return new Misfit('empty');
	if (length > longest) return new Misfit('too_long', { longest, length });
	if (CONTROL.test(tidy)) return new Misfit('control_characters');
	return inFormat(pack, field.format ?? 'text', tidy);
}

/** A number where a text belongs: spreadsheets send account numbers so. Beyond the bound it has lost digits. */
function digits(value: unknown): string | Misfit {
	const number = Exact.parse(String(value))?.bare();
	if (number?.scale !== 0) return new Misfit('not_text');
	return isSafe(number) ? String(number) : new Misfit('id_lost_digits');
}

function isSafe({ units }: Exact): boolean {
	return Number.isSafeInteger(Number(units));
}

/** By its value, or by its label in either language. */
function choice(pack: Pack, field: Field, value: unknown): string | Misfit {
	const chosen = text(pack, field, value);
	if (chosen instanceof Misfit) return chosen;
	const values = field.values ?? [];
	const isNamed = (label?: string): boolean => label?.toLowerCase() === chosen.toLowerCase();
	const named = values.filter(({ label, also }) => isNamed(label) || isNamed(also)).at(-1);
	if (values.some((one) => one.value === chosen) || (field.open && !named)) return chosen;
	const choices = values.map((one) => `${one.value} (${one.label})`).join(', ');
	return named?.value ?? new Misfit('not_a_choice', { choices });
}

/** A number in this currency, or one that may be a percentage. */
function measured(pack: Pack, field: Field, value: unknown, currency?: string): Exact | Misfit {
	const decimals = currency && field.currency_field ? minorUnits(pack.tables.currencies, currency) : undefined;
	const measure = readNumber(pack.tables.currencies, value);
	if (measure instanceof Misfit) return shownFor(field, measure, 'not_a_number', decimals);
	const { number, unit: written } = measure;
	if (!written || written === (currency ?? PERCENT)) return number;
	return new Misfit(currency ? 'number.other_currency' : 'number.no_currency', { written, currency });
}

function integer(pack: Pack, field: Field, value: unknown): Exact | Misfit {
	const measure = readNumber(pack.tables.currencies, value);
	if (!(measure instanceof Misfit) && !measure.unit && isWhole(measure.number)) return measure.number.bare();
	return shownFor(field, measure, 'not_an_integer');
}

/** The refusal of what is no number, with numbers that the field takes. */
function shownFor(field: Field, found: unknown, reason: string, decimals?: number): Misfit {
	const fits = (one: Exact): boolean =>
		(reason !== 'not_an_integer' || isWhole(one)) && !(bounded(field, one) instanceof Misfit);
	const shown = found instanceof Misread ? found.shown(decimals, fits) : undefined;
	if (shown) return shown;
	const examples = EXAMPLES.map(Exact.read).map((one) => (decimals === undefined ? one : one?.rounded(decimals)));
	const known = [...examples, Exact.read(field.min), Exact.read(field.max)];
	return new Misfit(reason, { example: known.find((one) => one && fits(one)) });
}

function isWhole(number: Exact): boolean {
	const bare = number.bare();
	return bare.scale === 0 && isSafe(bare);
}

function dateTime({ lang }: Pack, value: unknown, when: When, notice: Notice): string | Misfit {
	const moment = readInstant(value, when, lang);
	if (moment instanceof Misfit) return moment;
	if (moment.warning) notice(moment.warning, { written: textOf(value), read: zonedText(moment.text, lang) });
	return moment.text;
}

function bounded(field: Field, found: Exact | Misfit): Exact | Misfit {
	if (found instanceof Misfit) return found;
	const [least, most] = [Exact.read(field.min), Exact.read(field.max)];
	if (least && found.compare(least) < 0) return new Misfit('too_small', { least });
	return most && found.compare(most) > 0 ? new Misfit('too_large', { most }) : found;
}

function truth(value: unknown): boolean | Misfit {
	const word = textOf(value).trim().toLowerCase();
	if (TRUTH.yes.includes(word)) return true;
	return TRUTH.no.includes(word) ? false : new Misfit('not_a_boolean');
}

function freeObject({ messages }: Pack, value: unknown): unknown {
	const object = jsonIn(value); // a misfit is passed on as it is
	if (!isObject(object)) return new Misfit('not_an_object');
	try {
		writeJson(object);
		return object;
	} catch (error) {
		const { message, values } = error as NotJson;
		return new Misfit('not_json', { why: sayer(messages)(message, values) });
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

/** The list or object that a text holds as JSON, a misfit if it holds a name twice; anything else as it is. */
export function jsonIn(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
	try {
		return readUnambiguous(value);
	} catch (error) {
		return error instanceof Twice ? new Misfit('given_twice', { name: error.message.slice(0, 64) }) : value;
	}
}
