/**
 * Polls a paid list only where it is due, however often the platform asks: when its interval is over, and where free
 * signs exist, when the accounts list shows that something moved, or after long silence. A ceiling of paid polls a day
 * holds whatever the signs show.
 */

import type { PageResult } from '../manifest/code.ts';
import type { Inputs, Manifest } from '../manifest/pack.ts';
import type { Row } from '../values/value_kinds.ts';
import { isObject, textOf } from '../values/value_kinds.ts';
import { Cursor } from '../polls/cursor.ts';
import type { LateRows, LatePage } from './late_rows.ts';
import { withCheck, isSearchDue, searchLateRows, searchPlace, withSeenRows } from './late_rows.ts';

export interface Polled extends PageResult {
	/** The list was cut off: asking again at once may bring more. */
	more: boolean;
	/** How many rows the last page had, and how many of all were new. */
	shown?: number;
	newRows?: number;
	/** The list was read to its end, whatever is counted. */
	isEnd?: boolean;
	/** The ids of the new ones, and when the newest row came in, where the list says that. */
	ids?: bigint[];
	newest?: string;
}

/** How many rows had been read before, and how many the accounts list counts. */
export interface Counts {
	before?: number | undefined;
	counted?: number | undefined;
}

/** What a platform keeps of a paid poll beside its cursor. */
export interface LastPoll {
	/** Milliseconds since 1970. */
	at: number;
	/** What the free accounts list showed before, and how many rows it counted; absent where not all was read. */
	seen?: string;
	rows?: number;
	/** When rows that are waited for were last read again, and how many others were pending then. */
	again?: number;
	others?: number;
	/** When the accounts last changed, and how often in a row nothing came of a new time alone. */
	touched?: string;
	misses?: number;
	/** How many paid polls were left then. */
	left?: number;
	late?: LateRows;
	/** How many rows the largest page had, where no cursor is kept. */
	page?: number;
}

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
export interface PollSource {
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
export interface PollOutcome extends Polled {
	lastPoll?: LastPoll;
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
	source: PollSource,
	trigger: Manifest,
	inputs: Inputs,
	cursor: string | undefined,
	keptPoll: LastPoll | undefined,
): Promise<PollOutcome> {
	const last = cursor === undefined ? undefined : keptPoll;
	const age = last ? source.now - last.at : Infinity;
	const checked = last?.late ? { ...last, late: withCheck(last.late) as LateRows } : last;
	const nothing = { items: [], cursor: cursor ?? '', more: false, lastPoll: checked };
	const left = paidPollsLeft(trigger, source.now, last);
	if (isTooSoon(trigger, age) || left < 1 - ROUNDING) return nothing;
	const signs = await signsOf(source, trigger, inputs);
	if (isQuiet(trigger, age, signs, last) && !isSearchDue(last?.late)) return nothing;
	let waits = readsOnlyAhead(trigger, source.now, cursor, last, signs);
	// Of a list that was not read to its end, or not from its beginning, nothing was seen.
	const isWhole = waits || !cursor?.includes(PLACE);
	const items: Row[] = [];
	const ids: bigint[] = [];
	let [at, ahead, newRows, newest] = [cursor, waits, 0, ''];
	for (let pages = 1; ; pages++) {
		const before = last?.rows === undefined ? undefined : last.rows + newRows;
		const counts = { before, counted: signs?.rows };
		const polled = await source.poll(at, ahead, counts);
		items.push(...polled.items);
		ids.push(...(polled.ids ?? []));
		newRows += polled.newRows ?? 0;
		newest = [newest, polled.newest ?? ''].sort().at(-1) ?? '';
		const isShort = signs !== undefined && !polled.isEnd && fallsShort(polled.newRows ?? 0, counts);
		const isCut = polled.more || isShort;
		// A row that went pending may have hidden that another one was posted.
		const reads = !isCut && waits && waitsInVain(Cursor.read(polled.cursor, ''), last, signs);
		const goesOn = isCut || reads;
		if (reads) waits = false;
		if (goesOn && pages < MAX_PAGES) {
			[at, ahead] = [polled.cursor, !reads && (ahead || !polled.more)];
			continue;
		}
		const readAgain = waits ? last : undefined;
		const signsKept = isWhole && signs ? signsToKeep(signs, readAgain, polled.cursor, source.now) : {};
		const misses = missesAfter(items, last, signs);
		const spent = (count: number) => (trigger.throttle?.most ? { left: left - count } : {});
		if (goesOn) return { ...polled, items };
		const seen = { at: source.now, ...signsKept, ...misses };
		const place = source.late && isWhole && signs?.rows !== undefined ? Cursor.read(polled.cursor, '') : undefined;
		if (!source.late || signs?.rows === undefined || !place || place.skipping) {
			const known = last?.late ? { late: last.late } : {};
			return { ...polled, items, lastPoll: { ...seen, ...spent(pages), ...known } };
		}
		const missing = last?.rows === undefined ? 0 : Math.max(signs.rows - last.rows - newRows, 0);
		const late = missingMore(withSeenRows(last?.late, ids, place.after, newest, source.now), last?.late, missing);
		if (!(missing && last?.late) && !isSearchDue(last?.late)) {
			return { ...polled, items, lastPoll: { ...seen, ...spent(pages), late: withCheck(late) as LateRows } };
		}
		const search = searchLateRows(late, polled.cursor, await source.late(searchPlace(late).behind));
		items.push(...search.items);
		const lastPoll = { ...seen, ...spent(pages + 1), late: search.late };
		return { ...polled, items, cursor: search.cursor, lastPoll };
	}
}

/** More that is missing than before is searched for at once, from where the list ended before. */
function missingMore(late: LateRows, before: LateRows | undefined, rows: number): LateRows {
	if (!rows || !before) return late;
	const { older, newer, at, ids } = late;
	// The waits begin anew, and it is still the other search's turn.
	const [looks, missing] = [(before.looks ?? 0) % 2, (before.missing ?? 0) + rows];
	return { older, newer, at, ids, newest: before.newest, missing, looks };
}

/** Whether the interval is not over, where no signs decide. A time ahead of us was written by a wrong clock. */
function isTooSoon({ throttle }: Manifest, age: number): boolean {
	return throttle !== undefined && !throttle.signs && age >= 0 && age < 1000 * throttle.least;
}

/** How many paid polls are left: some at once, then one now and then, never more than `most` in any 24 hours. */
function paidPollsLeft({ throttle }: Manifest, now: number, last: LastPoll | undefined): number {
	if (!throttle?.most) return Infinity;
	const atOnce = Math.ceil(throttle.most / 2);
	// A time ahead of us was written by a wrong clock, which must not stop anything.
	if (last?.left === undefined || last.at > now) return atOnce;
	const aDay = throttle.most + 1 - atOnce; // the last of them comes when the day is over
	return Math.min(atOnce, last.left + ((now - last.at) * aDay) / DAY);
}

/** Whether free signs show no reason to pay. Where they cannot be read, the list is read twice as often. */
function isQuiet({ throttle }: Manifest, age: number, signs: Signs | undefined, last: LastPoll | undefined): boolean {
	const quiet = 1000 * (throttle?.signs?.quiet ?? 0);
	if (age < 0) return false;
	if (signs === undefined) return age < quiet / 2;
	if (signs.seen !== last?.seen || age >= quiet) return false;
	return signs.touched === last.touched || age < TOUCHED * 2 ** (last.misses ?? 0);
}

/** How often in a row nothing came of a new time of change alone. */
function missesAfter(items: Row[], last: LastPoll | undefined, signs: Signs | undefined): { misses?: number } {
	if (items.length || !signs || !last) return {};
	const isMiss = signs.seen === last.seen && signs.touched !== last.touched;
	const misses = Math.min((last.misses ?? 0) + (isMiss ? 1 : 0), MAX_MISSES);
	return misses ? { misses } : {};
}

/** Whether none of the rows that are waited for can have become news: as many are pending as were. */
function readsOnlyAhead(
	{ throttle, poll }: Manifest,
	now: number,
	cursor: string | undefined,
	last: LastPoll | undefined,
	signs: Signs | undefined,
): boolean {
	const age = now - (last?.again ?? -Infinity);
	if (!poll?.by_id || cursor === undefined || !last || signs?.pending === undefined) return false;
	if (age < 0 || age >= 1000 * (throttle?.signs?.quiet ?? 0)) return false;
	const place = Cursor.read(cursor, '');
	return !place.skipping && place.waiting.size > 0 && !waitsInVain(place, last, signs);
}

/** Whether more rows are waited for than are pending, so that one of them is pending no more. */
function waitsInVain({ waiting }: Cursor, last: LastPoll | undefined, signs: Signs | undefined): boolean {
	return waiting.size + (last?.others ?? 0) > (signs?.pending ?? Infinity);
}

/** Whether a page with so many new rows ended before others that are counted. Without new ones, it is the end. */
export function fallsShort(newRows: number, { before, counted }: Counts): boolean {
	if (!newRows) return false;
	return before === undefined || counted === undefined || before + newRows < counted;
}

function signsToKeep(signs: Signs, before: LastPoll | undefined, cursor: string, now: number): object {
	const { seen, touched, rows, pending } = signs;
	const waiting = pending === undefined || before ? 0 : Cursor.read(cursor, '').waiting.size;
	const read = before ?? { again: now, others: Math.max((pending ?? 0) - waiting, 0) };
	return { seen, touched, rows, again: read.again, others: read.others };
}

/** What is shown of the accounts in question; undefined where nothing is. */
async function signsOf(
	{ accounts, sha256 }: PollSource,
	{ throttle }: Manifest,
	inputs: Inputs,
): Promise<Signs | undefined> {
	if (!throttle?.signs) return undefined;
	const { group, part } = throttle.signs;
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
