/** Reads the rows of a list by the integer of their id, their days, and where a first poll starts. */

import type { Wait } from '../manifest/form.ts';
import { at } from '../manifest/templates.ts';
import { berlinDay, berlinDayOf, daysBetween, plainDay } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { numberOf } from '../values/value_kinds.ts';

/** When a row came in, and its own date. */
type Dated = Partial<Pick<Wait, 'came' | 'made'>>;

const SMALLEST_PAGE = 20;
const ROUND_PAGE = 10;
const SINCE = 'since:';
/** If a list has ids that are numbers, one of so many first rows has. */
const NUMBERS_AMONG = 100;

/** The rows that have a numeric id, each once, in the order of their ids. */
export function numbered(rows: Row[]): Map<bigint, Row> {
	const byNumber = new Map<bigint, Row>();
	for (const row of rows) {
		const number = numberOf(row.id);
		if (number !== undefined) byNumber.set(number, row);
	}
	return new Map([...byNumber].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether a list that is read by the numbers of its ids has none. */
export function isNumberless(rows: Row[]): boolean {
	const ids = rows.slice(0, NUMBERS_AMONG).flatMap(({ id }) => (id === undefined || id === null ? [] : [id]));
	return ids.length > 0 && ids.every((id) => numberOf(id) === undefined);
}

/** Whether a page may have been cut off: the service announces no size of pages, a round number is the only sign. */
export function mayBeCut(rows: Row[]): boolean {
	return rows.length >= SMALLEST_PAGE && rows.length % ROUND_PAGE === 0;
}

/** The id behind which a first poll begins to fire: 0 for `all`, that of `since:ID`, undefined for `now`. */
export function firstId(start: string): bigint | undefined {
	return start === 'all' ? 0n : start.startsWith(SINCE) ? numberOf(start.slice(SINCE.length)) : undefined;
}

export function isStart(start: string): boolean {
	return start === 'now' || firstId(start) !== undefined;
}

/** Whether a row came in more than so many days after its own date. */
export function arrivedLate(row: Row, { came = '', made = '', days }: Dated & { days: number }): boolean {
	const [own, arrived] = [plainDay(at(row, made)), berlinDayOf(at(row, came))];
	return own !== undefined && arrived !== undefined && daysBetween(own, arrived) > days;
}

/**
 * The day by which rows are given up: that of the newest row, and never one ahead of our clock. Our clock alone gives
 * nothing up: it may be fast. Neither does a single row with a senseless date.
 */
export function newestDay(rows: Iterable<Row>, dates: Dated, now: number): string {
	const today = berlinDay(now);
	let newest = '';
	for (const row of rows) {
		const day = sinceOf(row, dates) ?? '';
		if (day > newest && day <= today) newest = day;
	}
	return newest;
}

/** Days between the time when the row came in, or its own date, and the newest row. */
export function ageInDays(row: Row, dates: Dated, newest: string): number | undefined {
	const since = sinceOf(row, dates);
	return since === undefined || !newest ? undefined : daysBetween(since, newest);
}

function sinceOf(row: Row, { came = '', made = '' }: Dated): string | undefined {
	return berlinDayOf(at(row, came)) ?? plainDay(at(row, made));
}

/** Whether the row came in, or has its own date, within these days before the newest; one without any date did. */
export function isYoung(row: Row, { came = '', made = '' }: Dated, days: number, newest: string): boolean {
	if (!newest) return true;
	const own = plainDay(at(row, made));
	if (own !== undefined && daysBetween(own, newest) <= days) return true;
	const arrived = berlinDayOf(at(row, came));
	return arrived === undefined ? own === undefined : daysBetween(arrived, newest) <= days;
}
