/** Reads the rows of a list by the integer of their id, and says where a first poll starts. */

import { berlinDay, berlinDayOf, day, daysBetween } from './dates';
import { say, wrong } from './problem';
import type { Row } from './shapes';

const SMALLEST_PAGE = 20;
const ROUND_PAGE = 10;
const LATE_DAYS = 2;

/** The rows that have a numeric id, each once, in the order of their ids. Ids are integers of any size. */
export function numbered(items: Row[]): Map<bigint, Row> {
	const found = new Map<bigint, Row>();
	for (const item of items) {
		const id = String(item.id ?? '');
		if (/^[0-9]{1,100}$/.test(id)) found.set(BigInt(id), item);
	}
	return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether a page may have been cut off: a round number of rows is the only sign there is. */
export function looksCut(items: Row[]): boolean {
	return items.length >= SMALLEST_PAGE && items.length % ROUND_PAGE === 0;
}

/** The page with empty rows behind it, which are passed over, until it looks cut off. */
export function asCut(items: Row[]): Row[] {
	const filled = [...items];
	while (!looksCut(filled)) filled.push({});
	return filled;
}

/** The id behind which a first poll begins to fire; undefined when it begins now. */
export function firstId(start: string): bigint | undefined {
	if (start === 'now') return undefined;
	if (start === 'all') return 0n;
	const id = start.replace(/^since:/, '');
	if (!/^[0-9]{1,100}$/.test(id)) throw wrong(say('not_a_cursor'), 'since');
	return BigInt(id);
}

/** Whether a transaction came in more than two days after its value date. */
export function arrivedLate(row: Row): boolean {
	const [made, created] = [day(row.made_on), berlinDayOf(row.created_at)];
	return made !== undefined && created !== undefined && daysBetween(made, created) > LATE_DAYS;
}

/** Days since the row came in; without that time, since its value date. */
export function ageInDays(row: Row, now: Date): number | undefined {
	const since = berlinDayOf(row.created_at) ?? day(row.made_on);
	return since === undefined ? undefined : daysBetween(since, berlinDay(now.getTime()));
}

/** Whether the row came in, or has its value date, within these days. One without any date counts as young. */
export function isYoung(row: Row, days: number, today: string): boolean {
	const made = day(row.made_on);
	if (made !== undefined && daysBetween(made, today) <= days) return true;
	const created = berlinDayOf(row.created_at);
	return created === undefined ? made === undefined : daysBetween(created, today) <= days;
}
