/** Numbers and days as people read them, in English or German; `connector/core/localize.py` is the same in Python. */

import { day } from './dates.ts';
import { Exact } from './exact.ts';
import type { Row } from './value_kinds.ts';

/** With one separator in front of three digits nobody knows whether it groups or begins the decimals. */
const AMBIGUOUS_DECIMALS = 3;

/** With at least so many decimals and never fewer than it has: `1,234.50` or `1.234,50`. */
export function amountText(amount: Exact, decimals: number, lang: string): string {
	return written(amount.withDecimals(decimals), lang, true);
}

/** A number that is no money: not grouped, and without zeros at its end. */
export function numberText(number: Exact | undefined, lang: string): string {
	return number ? written(number.bare(), lang, false) : '';
}

/** The day of a date or, in Berlin, of a point in time; of any other text what stands in its place. */
export function dayText(text: string, lang: string): string {
	const iso = (text.includes('T') && day(text)) || text.slice(0, 10);
	const [, year, month, date] = /^(.{4})-(\d{2})-(\d{2})$/.exec(iso) ?? [];
	return lang === 'de' && year ? `${date}.${month}.${year}` : iso;
}

/** A point in time in Berlin with its distance from UTC, to the minute: where two may look alike. */
export function zonedText(instant: string, lang: string): string {
	return `${dayText(instant.slice(0, 10), lang)} ${instant.slice(11, 16)} (UTC${instant.slice(-6)})`;
}

/** What fills the blanks of a sentence: amounts with the decimals that they have, anything else as it is. */
export function blanks(values: Row, lang: string): Row {
	const written = ([name, value]: [string, unknown]): [string, unknown] => [
		name,
		value instanceof Exact ? amountText(value, 0, lang) : value,
	];
	return Object.fromEntries(Object.entries(values).map(written));
}

function written(number: Exact, lang: string, isMoney: boolean): string {
	const isGrouped = isMoney && number.scale > 0;
	const whole = String(number.abs()).split('.')[0]!;
	const isUnclear = number.scale === AMBIGUOUS_DECIMALS && whole !== '0' && !(isGrouped && whole.length > 3);
	const [start, fraction] = String(isUnclear ? number.withDecimals(AMBIGUOUS_DECIMALS + 1) : number).split('.');
	const [group, point] = lang === 'de' ? ['.', ','] : [',', '.'];
	const grouped = isGrouped ? start!.replace(/\B(?=(\d{3})+$)/g, group!) : start!;
	return fraction ? `${grouped}${point}${fraction}` : grouped;
}
