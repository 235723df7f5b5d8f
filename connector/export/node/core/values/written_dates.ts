/** Dates and date-times as people and platforms write them. Python reads and refuses the same notations. */

import type { When } from './dates.ts';
import { berlinDay, clockChange, daysBefore, instant, plainDay, shownDay, writtenDay } from './dates.ts';
import { dayText } from './localize.ts';
import { Misfit, textOf } from './value_kinds.ts';

const YEAR = '(\\d{4}|\\d{2})';
const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})(?:,? (\d{1,2})(:\d{2}(?::\d{2})?)(?: Uhr)?)?$/;
const SLASHES = /^(?:(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})|(\d{4})\/(\d{1,2})\/(\d{1,2}))(?!\d)/;
const DAY_MONTH = new RegExp(`^(\\d{1,2})\\.?[ -]?(\\p{L}{3,})\\.?,?[ -]?${YEAR}(?!\\d)`, 'u');
const MONTH_DAY = new RegExp(`^(\\p{L}{3,})\\.? (\\d{1,2})(?:st|nd|rd|th|\\.)?,? ${YEAR}(?!\\d)`, 'u');
/** How the names of the months begin, in German and in English. */
const MONTHS = 'jan feb mar|mär|mae|mrz apr mai|may jun jul aug sep okt|oct nov dez|dec'.split(' ');
const NUMBER = /^(\d+)(?:\.\d+)?$/;
const SPREADSHEET_EPOCH = '1899-12-30';
/** From 1954 to 2119: what is less is more likely a year or a count. */
const SPREADSHEET_DAYS = /^[2-7]\d{4}$/;
/** How far a year may lie from today's. */
const MAX_YEARS = 100;

interface Read {
	text: string;
	warning?: string;
}

/** Today's day in Berlin, by which years are judged, and the language of what is said. */
interface About {
	today: string;
	lang: string;
}

/** A date; of a date-time the day that it shows, of one in UTC its day in the zone of the flow. */
export function readDay(value: unknown, { now, zone }: When, lang: string): string | Misfit {
	const about = { today: berlinDay(now), lang };
	const iso = isoOf(value, about);
	return farYear(value, iso, about) ?? writtenDay(iso, zone) ?? misfit(value, 'not_a_date', about);
}

/** A date-time in Berlin, and a warning by name where its hour does not exist or exists twice. */
export function readInstant(value: unknown, { now }: When, lang: string): Read | Misfit {
	const about = { today: berlinDay(now), lang };
	const iso = isoOf(value, about);
	const far = farYear(value, iso, about);
	if (far) return far;
	const text = instant(iso);
	return text === undefined ? misfit(value, 'not_a_date_time', about) : { text, warning: clockChange(iso) };
}

/** The refusal of a year that is more likely a slip, with the one that was probably meant. */
function farYear(value: unknown, iso: unknown, about: About): Misfit | undefined {
	const day = shownDay(iso);
	if (day === undefined || isNear(day, about)) return undefined;
	const meant = plainDay(`${fullYear(day.slice(2, 4), about)}${day.slice(4)}`);
	if (!meant) return new Misfit('not_a_date', { example: dayText(about.today, about.lang) });
	const written = textOf(value).trim();
	return new Misfit('date.year_meant', { written, years: MAX_YEARS, meant: dayText(meant, about.lang) });
}

function isNear(day: string, { today }: About): boolean {
	return Math.abs(yearOf(day) - yearOf(today)) <= MAX_YEARS;
}

function yearOf(day: string): number {
	return Number(day.slice(0, 4));
}

/** Of two digits, the year that ends in them and is nearest to today's. */
function fullYear(written: string, { today }: About): string {
	const first = yearOf(today) - 50;
	return written.length === 4 ? written : String(first + ((Number(written) - first) % 100 + 100) % 100);
}

/** A German notation as ISO 8601; anything else as it is. */
function isoOf(value: unknown, about: About): unknown {
	const match = typeof value === 'string' ? GERMAN.exec(value.trim()) : undefined;
	if (!match) return value;
	const [, date = '', month = '', year = '', hour, rest] = match;
	const written = dashed(fullYear(year, about), month, date);
	return hour ? `${written}T${hour.padStart(2, '0')}${rest}` : written;
}

/** The refusal of a notation that is not read, with the day that was probably meant in the caller's language. */
function misfit(value: unknown, otherwise: string, about: About): Misfit {
	const written = textOf(value).trim();
	const meant = daysMeant(written, about).filter((one) => plainDay(one) && isNear(one, about));
	const [first, second] = [...new Set(meant)].sort().map((iso) => dayText(iso, about.lang));
	if (second) return new Misfit('date.two_readings', { written, first, second });
	if (!first) return new Misfit(otherwise, { example: dayText(about.today, about.lang) });
	return new Misfit(named(written) ? 'date.month_name' : 'date.misreadable', { written, meant: first });
}

function daysMeant(written: string, about: About): string[] {
	const slashes = SLASHES.exec(written);
	if (slashes) {
		const [, first = '', second = '', year, full = '', month = '', date = ''] = slashes;
		if (!year) return [dashed(full, month, date)];
		return [dashed(fullYear(year, about), second, first), dashed(fullYear(year, about), first, second)];
	}
	const parts = named(written);
	if (parts) {
		const isMonth = (begins: string): boolean => begins.split('|').some((one) => parts.month.startsWith(one));
		return [dashed(fullYear(parts.year, about), String(MONTHS.findIndex(isMonth) + 1), parts.date)];
	}
	const digits = NUMBER.exec(written)?.[1] ?? '';
	if (SPREADSHEET_DAYS.test(digits)) return [daysBefore(SPREADSHEET_EPOCH, -Number(digits))];
	if (digits.length === 8) return [dashed(digits.slice(0, 4), digits.slice(4, 6), digits.slice(6))];
	if (/^(\d{9,10}|\d{12,13})$/.test(digits)) return [berlinDay(Number(digits) * (digits.length < 12 ? 1000 : 1))];
	return [];
}

/** The parts of a date whose month is a name. */
function named(written: string): { date: string; month: string; year: string } | undefined {
	const [, date, name, year] = DAY_MONTH.exec(written) ?? [];
	if (date && name && year) return { date, month: name.toLowerCase(), year };
	const [, month, day, full] = MONTH_DAY.exec(written) ?? [];
	return month && day && full ? { date: day, month: month.toLowerCase(), year: full } : undefined;
}

function dashed(year: string, month: string, date: string): string {
	return [year, month.padStart(2, '0'), date.padStart(2, '0')].join('-');
}
