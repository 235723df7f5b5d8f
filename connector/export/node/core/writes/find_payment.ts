/** Finds a payment in the service's list by the marks that it carries. Costs no credit. */

import { Unreadable } from '../answers/answers.ts';
import type { Listed } from '../client/service.ts';
import type { ReadBack } from '../manifest/form.ts';
import type { Inputs } from '../manifest/pack.ts';
import { milliseconds } from '../values/dates.ts';
import { Exact } from '../values/exact.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, numberOf, textOf } from '../values/value_kinds.ts';

const NEWEST_FIRST = { sort: 'date' };
const BY_ID = { sort: 'id' };
const AFTER = 'from_id';
const CREATED = 'created_at';
const MAX_PAGES = 1000;
/** How many days a thorough search reads back; a package keeps no place up to which it has read. */
const READ_BACK_DAYS = 35;
/** How many of the newest rows are asked for. */
const FIRST_ROWS = 100;
const DAY = 24 * 60 * 60_000;
/** An IBAN or a UUID that is not shortened. */
const WHOLE_IDENTIFIER = /^(?:[A-Z]{2}\d{2}[A-Z\d]{11,30}|[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12})$/;
/** For so many milliseconds an equal write is taken for a likely repeat. */
export const RECENT = 10 * 60_000;

type List = (inputs: Inputs) => Promise<Listed>;

/** What a search by key has found. */
export interface PaymentSearch {
	/** The row that carries the key, and the digest that it carries. */
	payment?: Row;
	digest?: string;
	/** What carries the key is another write, as its digest, its amount or its IBAN shows. */
	isOther?: boolean;
	/** Another one that carries the digest and was made a short time ago. */
	recent?: Row;
}

/** Reads the newest of the list, in a thorough search some weeks of it, until the key is found. */
export async function findPayment(
	list: List,
	marks: ReadBack,
	key: string,
	{ isThorough = true, digest }: { isThorough?: boolean; digest?: string } = {},
): Promise<PaymentSearch> {
	let recent: Row | undefined;
	for await (const { rows, now } of pages(list, isThorough, marks)) {
		const payment = rows.find((row) => markOf(row, marks, marks.key_name) === key);
		if (payment) return { payment, digest: markOf(payment, marks, marks.digest_name) };
		const equal = rows.filter((row) => digest && markOf(row, marks, marks.digest_name) === digest);
		recent ??= equal.find((row) => isRecent(row, now));
	}
	return { recent };
}

/** Whether a row shows another amount, IBAN or UUID than was sent: it is another write, whatever marks it carries. */
export function contradicts(names: string[], row: Row, inputs: Inputs): boolean {
	return names.some((name) => differ(inputs[name], row[name]));
}

/** Whether two numbers, whole IBANs or UUIDs differ; what is left out, shortened or unreadable tells nothing. */
function differ(sent: unknown, shown: unknown): boolean {
	if (isEmpty(sent) || isEmpty(shown)) return false;
	if (typeof sent !== 'string') {
		const [before, after] = [Exact.read(sent), Exact.read(shown)];
		return Boolean(before && after && before.compare(after) !== 0);
	}
	const [before, after] = [sent, shown].map((text) => textOf(text).replace(/\s/g, '').toUpperCase());
	return before !== after && [before, after].every((text) => WHOLE_IDENTIFIER.test(text ?? ''));
}

/** The mark of this name that a row carries; empty when it carries none. */
function markOf(row: Row, { key_field }: ReadBack, name: string): string {
	const marks = row[key_field];
	return isObject(marks) ? textOf(marks[name]) : '';
}

/** The newest rows; in a thorough search then those by id since a day, until both have shown all of these. */
async function* pages(list: List, isThorough: boolean, marks: ReadBack): AsyncGenerator<Listed> {
	const newest = await list({ ...NEWEST_FIRST, ...(marks.most === undefined ? {} : { [marks.most]: FIRST_ROWS }) });
	yield newest;
	if (!isThorough || !newest.rows.length) return;
	const byId = { ...BY_ID, ...sinceOf(newest, marks) };
	const shown = idsIn(newest.rows);
	const seen = new Set<string>();
	let isInOrder = rise([...shown].reverse());
	// In another order than was asked for, paging by the highest id leaves some out.
	let ascends = true;
	for (let [count, last] = [0, '']; count < MAX_PAGES; count++) {
		const page = await list(last ? { ...byId, [AFTER]: last } : byId);
		yield page;
		const ids = idsIn(page.rows);
		const hasNew = ids.some((id) => !seen.has(id));
		const lostIds = page.rows.length && !ids.length && seen.size;
		for (const id of ids) {
			seen.add(id);
			if (isBelow(last, id)) last = id;
		}
		ascends &&= rise(ids) || ids.some((id) => numberOf(id) === undefined);
		isInOrder &&= rise(ids);
		if (isInOrder && shown.some((id) => seen.has(id))) return;
		if (hasNew) continue;
		const knowsNoPages = [...seen].every((id) => ids.includes(id));
		if ((ascends || knowsNoPages) && !lostIds && shown.every((id) => seen.has(id))) return;
		break;
	}
	throw new Unreadable('answer_endless');
}

/** The day since which the list is read, by the service's own times: days before the newest row. */
function sinceOf({ rows, now }: Listed, { made, since }: ReadBack): Inputs {
	if (made === undefined || since === undefined) return {};
	const times = rows.map((row) => milliseconds(row[made]));
	if (times.includes(undefined)) return {};
	const newest = Math.min(now, Math.max(...(times as number[])));
	return { [since]: new Date(newest - READ_BACK_DAYS * DAY).toISOString().slice(0, 10) };
}

function idsIn(rows: Row[]): string[] {
	return rows.map(({ id }) => textOf(id)).filter(Boolean);
}

/** Compares ids as integers where both are, else as text. */
function isBelow(one: string, other: string): boolean {
	const [first, second] = [numberOf(one), numberOf(other)];
	return first === undefined || second === undefined ? one < other : first < second;
}

/** Whether ids ascend as numbers. Other ids need not follow the time, so where they meet proves nothing. */
function rise(ids: string[]): boolean {
	return ids.every((id, at) => numberOf(id) !== undefined && (!at || isBelow(ids[at - 1]!, id)));
}

/** One without a time may have been made just now. */
function isRecent(row: Row, now: number): boolean {
	const createdAt = milliseconds(row[CREATED]);
	return createdAt === undefined || now - createdAt < RECENT;
}
