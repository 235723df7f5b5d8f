/**
 * Polls a paid list only where it is due, however often the platform asks: when its interval is over, and where free
 * signs exist, when the accounts list shows that something moved, or after long silence. A ceiling of paid looks a day
 * holds whatever the signs show.
 */

import { Cursor } from './cursor.ts';
import type { LatePage } from './late_rows.ts';
import { checkedLate, isLateDue, lookedLate, placeOf, withSeen } from './late_rows.ts';
import type { Counts, Inputs, Late, Looked, Manifest, Polled, Row } from './types.ts';
import { isObject, textOf } from './values.ts';

export type { Looked, Polled } from './types.ts';

/** How many pages one poll reads at most; the next one goes on from there. */
const MAX_PAGES = 10;
const DAY = 86_400_000;
/** A new time of change alone is followed after this long, and after twice as long each time nothing was found. */
const TOUCHED = 3_600_000;
const MAX_MISSES = 10;
const ROUNDING = 1e-6;
/** A cursor with this mark reads on from a place, and so passes over rows that are waited for. */
const PLACE = '@';

/** What a poll needs. */
export interface Asker {
	/** `ahead`, no row is read again. */
	poll(cursor: string | undefined, ahead: boolean, counts: Counts): Promise<Polled>;
	/** A page behind an id, to find rows that were not shown; absent where every poll reads all rows again. */
	late?(behind: string): Promise<LatePage>;
	/** The free list of accounts; undefined where it cannot be read. */
	accounts(asked: Row): Promise<Row[] | undefined>;
	now: number;
	sha256: (text: string) => string;
}

/** What was found, and what the next poll needs to know. */
export interface Found extends Polled {
	looked?: Looked;
}

/** What the accounts list shows: a digest, and the numbers of all and of pending rows where it counts them. */
interface Signs {
	seen: string;
	/** The times of the last change, which a service may move at each read. */
	touched: string;
	rows?: number;
	pending?: number;
}

/** One poll to the end of what is new, if it is due. */
export async function pollDue(
	asker: Asker,
	trigger: Manifest,
	inputs: Inputs,
	cursor: string | undefined,
	lastLooked: Looked | undefined,
): Promise<Found> {
	const looked = cursor === undefined ? undefined : lastLooked;
	const age = looked ? asker.now - looked.at : Infinity;
	const checked = looked?.late ? { ...looked, late: checkedLate(looked.late) as Late } : looked;
	const nothing = { items: [], cursor: cursor ?? '', more: false, looked: checked };
	const left = looksLeft(trigger, asker.now, looked);
	if (isTooSoon(trigger, age) || left < 1 - ROUNDING) return nothing;
	const signs = await signsOf(asker, trigger, inputs);
	if (isQuiet(trigger, age, signs, looked) && !isLateDue(looked?.late)) return nothing;
	let waits = looksAhead(trigger, asker.now, cursor, looked, signs);
	// Of a list that was not read to its end, or not from its beginning, nothing was seen.
	const isWhole = waits || !cursor?.includes(PLACE);
	const items: Row[] = [];
	const ids: bigint[] = [];
	let [at, ahead, fresh, newest] = [cursor, waits, 0, ''];
	for (let pages = 1; ; pages++) {
		const before = looked?.rows === undefined ? undefined : looked.rows + fresh;
		const counts = { before, counted: signs?.rows };
		const polled = await asker.poll(at, ahead, counts);
		items.push(...polled.items);
		ids.push(...(polled.ids ?? []));
		fresh += polled.fresh ?? 0;
		newest = [newest, polled.newest ?? ''].sort().at(-1) ?? '';
		const isShort = signs !== undefined && !polled.isEnd && fallsShort(polled.fresh ?? 0, counts);
		const isCut = polled.more || isShort;
		// A row that went pending may have hidden that another one was posted.
		const reads = !isCut && waits && waitsInVain(Cursor.read(polled.cursor, ''), looked, signs);
		const goesOn = isCut || reads;
		if (reads) waits = false;
		if (goesOn && pages < MAX_PAGES) {
			[at, ahead] = [polled.cursor, !reads && (ahead || !polled.more)];
			continue;
		}
		const kept = isWhole && signs ? remembered(signs, waits ? looked : undefined, polled.cursor, asker.now) : {};
		const misses = missed(items, looked, signs);
		const spent = (count: number) => (trigger.thrift?.most ? { left: left - count } : {});
		if (goesOn) return { ...polled, items };
		const seen = { at: asker.now, ...kept, ...misses };
		const place = asker.late && isWhole && signs?.rows !== undefined ? Cursor.read(polled.cursor, '') : undefined;
		if (!asker.late || signs?.rows === undefined || !place || place.skipping) {
			const known = looked?.late ? { late: looked.late } : {};
			return { ...polled, items, looked: { ...seen, ...spent(pages), ...known } };
		}
		const missing = looked?.rows === undefined ? 0 : Math.max(signs.rows - looked.rows - fresh, 0);
		const late = missingMore(withSeen(looked?.late, ids, place.after, newest, asker.now), looked?.late, missing);
		if (!(missing && looked?.late) && !isLateDue(looked?.late)) {
			return { ...polled, items, looked: { ...seen, ...spent(pages), late: checkedLate(late) as Late } };
		}
		const found = lookedLate(late, polled.cursor, await asker.late(placeOf(late).behind));
		items.push(...found.items);
		return { ...polled, items, cursor: found.cursor, looked: { ...seen, ...spent(pages + 1), late: found.late } };
	}
}

/** More that is missing than before is looked for at once, from where the list ended before. */
function missingMore(late: Late, before: Late | undefined, rows: number): Late {
	if (!rows || !before) return late;
	const { older, newer, at, ids } = late;
	// The waits begin anew, and it is still the other look's turn.
	const [looks, missing] = [(before.looks ?? 0) % 2, (before.missing ?? 0) + rows];
	return { older, newer, at, ids, newest: before.newest, missing, looks };
}

/** Whether the interval is not over, where no signs decide. A time ahead of us was written by a wrong clock. */
function isTooSoon({ thrift }: Manifest, age: number): boolean {
	return thrift !== undefined && !thrift.signs && age >= 0 && age < 1000 * thrift.least;
}

/** How many paid looks are left: some at once, then one now and then, never more than `most` in any 24 hours. */
function looksLeft({ thrift }: Manifest, now: number, looked: Looked | undefined): number {
	if (!thrift?.most) return Infinity;
	const atOnce = Math.ceil(thrift.most / 2);
	// A time ahead of us was written by a wrong clock, which must not stop anything.
	if (looked?.left === undefined || looked.at > now) return atOnce;
	const aDay = thrift.most + 1 - atOnce; // the last of them comes when the day is over
	return Math.min(atOnce, looked.left + ((now - looked.at) * aDay) / DAY);
}

/** Whether free signs show no reason to pay. Where they cannot be read, the list is read twice as often. */
function isQuiet({ thrift }: Manifest, age: number, signs: Signs | undefined, looked: Looked | undefined): boolean {
	const quiet = 1000 * (thrift?.signs?.quiet ?? 0);
	if (age < 0) return false;
	if (signs === undefined) return age < quiet / 2;
	if (signs.seen !== looked?.seen || age >= quiet) return false;
	return signs.touched === looked.touched || age < TOUCHED * 2 ** (looked.misses ?? 0);
}

/** How often in a row nothing came of a new time of change alone. */
function missed(items: Row[], looked: Looked | undefined, signs: Signs | undefined): { misses?: number } {
	if (items.length || !signs || !looked) return {};
	const isMiss = signs.seen === looked.seen && signs.touched !== looked.touched;
	const misses = Math.min((looked.misses ?? 0) + (isMiss ? 1 : 0), MAX_MISSES);
	return misses ? { misses } : {};
}

/** Whether none of the rows that are waited for can have become news: as many are pending as were. */
function looksAhead(
	{ thrift, poll }: Manifest,
	now: number,
	cursor: string | undefined,
	looked: Looked | undefined,
	signs: Signs | undefined,
): boolean {
	const age = now - (looked?.again ?? -Infinity);
	if (!poll?.by_id || cursor === undefined || !looked || signs?.pending === undefined) return false;
	if (age < 0 || age >= 1000 * (thrift?.signs?.quiet ?? 0)) return false;
	const place = Cursor.read(cursor, '');
	return !place.skipping && place.waiting.size > 0 && !waitsInVain(place, looked, signs);
}

/** Whether more rows are waited for than are pending, so that one of them is pending no more. */
function waitsInVain({ waiting }: Cursor, looked: Looked | undefined, signs: Signs | undefined): boolean {
	return waiting.size + (looked?.others ?? 0) > (signs?.pending ?? Infinity);
}

/** Whether a page with so many new rows ended before others that are counted. Without new ones, it is the end. */
export function fallsShort(fresh: number, { before, counted }: Counts): boolean {
	if (!fresh) return false;
	return before === undefined || counted === undefined || before + fresh < counted;
}

function remembered(signs: Signs, before: Looked | undefined, cursor: string, now: number): object {
	const { seen, touched, rows, pending } = signs;
	const waiting = pending === undefined || before ? 0 : Cursor.read(cursor, '').waiting.size;
	const read = before ?? { again: now, others: Math.max((pending ?? 0) - waiting, 0) };
	return { seen, touched, rows, again: read.again, others: read.others };
}

/** What is shown of the accounts in question; undefined where nothing is. */
async function signsOf({ accounts, sha256 }: Asker, { thrift }: Manifest, inputs: Inputs): Promise<Signs | undefined> {
	if (!thrift?.signs) return undefined;
	const { group, part } = thrift.signs;
	const listed = await accounts(inputs[group] === undefined ? {} : { [group]: inputs[group] });
	const own = listed?.filter(({ id }) => inputs[part] === undefined || textOf(id) === textOf(inputs[part]));
	if (!own?.length) return undefined;
	const pending = sum(own.map((account) => countsOf(account).pending));
	const posted = sum(own.map((account) => countsOf(account).posted));
	const rows = pending === undefined || posted === undefined ? undefined : posted + pending;
	const digest = (texts: string[]) => sha256(texts.sort().join('\n')).slice(0, 24);
	return { seen: digest(own.map(stateOf)), touched: digest(own.map(touchOf)), rows, pending };
}

function countsOf({ extra }: Row): Row {
	return isObject(extra) && isObject(extra.transactions_count) ? extra.transactions_count : {};
}

/** Undefined where one of them is no number. */
function sum(counts: unknown[]): number | undefined {
	const numbers = counts.map((count) => (/^\d+$/.test(textOf(count)) ? Number(textOf(count)) : NaN));
	const total = numbers.reduce((one, other) => one + other, 0);
	return Number.isSafeInteger(total) ? total : undefined;
}

/** What is counted shows each new row; otherwise the time of the last change must do. */
function stateOf(account: Row): string {
	const { posted, pending } = countsOf(account);
	const changed = sum([posted, pending]) === undefined ? account.updated_at : '';
	return [account.id, posted, pending, account.balance, changed].map(textOf).join('/');
}

function touchOf({ id, updated_at }: Row): string {
	return [id, updated_at].map(textOf).join('/');
}
