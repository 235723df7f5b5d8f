/** Looks a write up in the service's list, by the marks that it carries. Costs no credit. */

import { Unreadable } from './answers.ts';
import { milliseconds } from './dates.ts';
import { looksCut } from './rows.ts';
import type { Inputs, ReadBack, Row } from './types.ts';
import { isObject, textOf } from './values.ts';

const NEWEST_FIRST = { sort: 'date' };
const BY_ID = { sort: 'id' };
const AFTER = 'from_id';
const CREATED = 'created_at';
const MAX_PAGES = 100;
/** For so many milliseconds an equal write is taken for a likely repeat. */
export const RECENT = 10 * 60_000;

/** One page, and the time on the service's clock where it tells that, else on ours. */
export interface Listed {
	rows: Row[];
	now: number;
}

type List = (inputs: Inputs) => Promise<Listed>;

export interface Looked {
	/** The row that carries the key, and the digest that it carries. */
	found?: Row;
	digest?: string;
	/** Another one that carries the digest and was made a short time ago. */
	recent?: Row;
}

/** Reads the list until the key is found; to its end where it may have been cut off. */
export async function look(list: List, marks: ReadBack, key: string, digest?: string): Promise<Looked> {
	let recent: Row | undefined;
	for await (const { rows, now } of pages(list)) {
		const found = rows.find((row) => markOf(row, marks, marks.key_name) === key);
		if (found) return { found, digest: markOf(found, marks, marks.digest_name) };
		const equal = rows.filter((row) => digest && markOf(row, marks, marks.digest_name) === digest);
		recent ??= equal.find((row) => isRecent(row, now));
	}
	return { recent };
}

/** The mark of this name that a row carries; empty when it carries none. */
function markOf(row: Row, { key_field }: ReadBack, name: string): string {
	const marks = row[key_field];
	return isObject(marks) ? textOf(marks[name]) : '';
}

/** The newest rows; where these may not be all, every row by its id. Only an empty page is the end for sure. */
async function* pages(list: List): AsyncGenerator<Listed> {
	const newest = await list(NEWEST_FIRST);
	yield newest;
	if (!looksCut(newest.rows)) return;
	let [page, after]: [Listed, string | undefined] = [await list(BY_ID), undefined];
	for (let count = 1; page.rows.length; count++) {
		yield page;
		const last = textOf(page.rows.at(-1)?.id);
		if (!last || last === after || count >= MAX_PAGES) throw new Unreadable('the list does not end');
		page = await list({ ...BY_ID, [AFTER]: last });
		after = last;
	}
}

/** One without a time may have been made just now. */
function isRecent(row: Row, now: number): boolean {
	const made = milliseconds(row[CREATED]);
	return made === undefined || now - made < RECENT;
}
