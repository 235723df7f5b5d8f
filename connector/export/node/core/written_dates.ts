/** Dates and date-times as people and platforms write them. Python reads and refuses the same notations. */

import { berlinDay, clockChange, day, daysBefore, instant, plainDay } from './dates.ts';
import { dayText } from './localize.ts';
import { Misfit } from './messages.ts';
import { textOf } from './values.ts';

const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})(?:,? (\d{1,2})(:\d{2}(?::\d{2})?)(?: Uhr)?)?$/;
const SLASHES = /^(?:(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})|(\d{4})\/(\d{1,2})\/(\d{1,2}))(?!\d)/;
const NUMBER = /^(\d+)(?:\.\d+)?$/;
const SPREADSHEET_EPOCH = '1899-12-30';
/** From 1954 to 2119: what is less is more likely a year or a count. */
const SPREADSHEET_DAYS = /^[2-7]\d{4}$/;

/** A date; of a date-time, its day in Berlin. */
export function readDay(value: unknown, lang: string): string | Misfit {
	return day(isoOf(value)) ?? misfit(value, 'not_a_date', lang);
}

/** A date-time, and a warning by name where its hour does not exist or exists twice. */
export function readInstant(value: unknown, lang: string): { text: string; warning?: string } | Misfit {
	const iso = isoOf(value);
	const text = instant(iso);
	return text === undefined ? misfit(value, 'not_a_date_time', lang) : { text, warning: clockChange(iso) };
}

/** A German notation as ISO 8601; anything else as it is. */
function isoOf(value: unknown): unknown {
	const found = typeof value === 'string' ? GERMAN.exec(value.trim()) : undefined;
	if (!found) return value;
	const [, date = '', month = '', year = '', hour, rest] = found;
	const written = dashed(year, month, date);
	return hour ? `${written}T${hour.padStart(2, '0')}${rest}` : written;
}

/** The refusal of a notation that may be misread, with the day that was probably meant in the caller's language. */
function misfit(value: unknown, otherwise: string, lang: string): Misfit {
	const written = textOf(value).trim();
	const meant = daysMeant(written).filter((one) => plainDay(one));
	const [first, second] = [...new Set(meant)].sort().map((iso) => dayText(iso, lang));
	if (second) return new Misfit('date.two_readings', { written, first, second });
	return first ? new Misfit('date.misreadable', { written, meant: first }) : new Misfit(otherwise);
}

function daysMeant(written: string): string[] {
	const slashes = SLASHES.exec(written);
	if (slashes) {
		const [, one = '', two = '', year, full = '', month = '', date = ''] = slashes;
		return year ? [dashed(year, two, one), dashed(year, one, two)] : [dashed(full, month, date)];
	}
	const digits = NUMBER.exec(written)?.[1] ?? '';
	if (SPREADSHEET_DAYS.test(digits)) return [daysBefore(SPREADSHEET_EPOCH, -Number(digits))];
	if (digits.length === 8) return [dashed(digits.slice(0, 4), digits.slice(4, 6), digits.slice(6))];
	if (/^(\d{9,10}|\d{12,13})$/.test(digits)) return [berlinDay(Number(digits) * (digits.length < 12 ? 1000 : 1))];
	return [];
}

function dashed(year: string, month: string, date: string): string {
	return [year.length === 2 ? `20${year}` : year, month.padStart(2, '0'), date.padStart(2, '0')].join('-');
}
