/**
 * Rows that are counted and were not shown: the free count of the accounts list tells of them.
 *
 * At the end of the list every row that the account counts should have been read. If some were not, they are looked
 * for: at once from where the list ended one to two days before, then from its beginning, and so by turns after 1, 2,
 * 4, 8 and so on further checks. The ids seen since that place are known, so that nothing is told again; from the
 * beginning, only rows that came after the last count that was right are new.
 */

import type { PageResult } from '../manifest/code.ts';
import { at } from '../manifest/templates.ts';
import { milliseconds } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { Cursor } from '../polls/cursor.ts';
import { numbered } from '../polls/page.ts';

/** Rows that are counted and were not shown, and what is needed to find them (`late_rows.ts`). */
export interface LateRows {
	/** Where the list ended one to two days ago and later, when that was noted, and the ids seen since. */
	older: string;
	newer: string;
	at: number;
	ids: string[];
	/** When the newest row came in while the count was right. */
	newest?: string | undefined;
	/** How many are missing, how often they were looked for, and how many checks have passed since. */
	missing?: number;
	looks?: number;
	checks?: number;
	/** Where a search ended too early; the next one goes on there. */
	stoppedAt?: string;
}

const DAY = 86_400_000;
/** A count may also be wrong: after so many searches nothing more is looked for. */
const MAX_SEARCHES = 12;
const MAX_IDS = 5000;

/** A page behind an id, and what becomes of some of its rows. */
export interface LatePage {
	rows: Row[];
	/** The field that says when a row came in. */
	came: string;
	turn(rows: Row[]): PageResult;
}

/** Whether rows are missing, and it is time to look for them. */
export function isSearchDue(late: LateRows | undefined): boolean {
	if (!late?.missing) return false;
	const { looks = 0, checks = 0, stoppedAt } = late;
	return stoppedAt !== undefined || !looks || checks + 1 >= 2 ** (looks - 1);
}

/** After a check that paid for nothing. */
export function withCheck(late: LateRows | undefined): LateRows | undefined {
	return late?.missing ? { ...late, checks: (late.checks ?? 0) + 1 } : late;
}

/** After the end of the list was read, with the ids that were new and the time when the newest row came in. */
export function withSeenRows(
	late: LateRows | undefined,
	ids: bigint[],
	after: bigint,
	newest: string,
	now: number,
): LateRows {
	const place = String(after);
	if (!late) return { older: place, newer: place, at: now, ids: [], newest };
	const seen = { ...late, ids: [...late.ids, ...ids.map(String)] };
	if (late.missing) return seen;
	const latest = [newest, late.newest].sort().at(-1);
	const known = { ...seen, newest: latest };
	if (now - late.at < DAY && now >= late.at && known.ids.length <= MAX_IDS) return known;
	const older = known.ids.length > MAX_IDS ? place : late.newer;
	return { ...known, older, newer: place, at: now, ids: known.ids.filter((id) => BigInt(id) > BigInt(older)) };
}

/** The place from which late rows are looked for: every other time the beginning of the list. */
export function searchPlace({ older, newest, looks = 0, stoppedAt }: LateRows): { behind: string; isWide: boolean } {
	const isWide = stoppedAt === undefined && looks % 2 === 1 && Boolean(newest);
	return { behind: isWide ? '0' : (stoppedAt ?? older), isWide };
}

/** What a search finds: items, the cursor with what now waits too, and what is still missing. */
export function searchLateRows(
	late: LateRows,
	cursor: string,
	page: LatePage,
): { items: Row[]; cursor: string; late: LateRows } {
	const [known, { behind, isWide }] = [Cursor.read(cursor, ''), searchPlace(late)];
	const [seen, since] = [new Set(late.ids), milliseconds(late.newest) ?? Infinity];
	const isNew = ([number, row]: [bigint, Row]): boolean => {
		if (number > known.after || known.waiting.has(number) || seen.has(String(number))) return false;
		return !isWide || (milliseconds(at(row, page.came)) ?? -Infinity) > since;
	};
	const shown = [...numbered(page.rows)];
	const newRows = shown.filter(isNew);
	const { items, cursor: then } = page.turn(newRows.map(([, row]) => row));
	const waiting = new Map([...Cursor.read(then, '').waiting, ...known.waiting]);
	const next = new Cursor(known.after, waiting, known.position, known.quiet, known.skipping, known.missed);
	const [missing, looks] = [Math.max((late.missing ?? 0) - newRows.length, 0), (late.looks ?? 0) + 1];
	const ids = [...late.ids, ...newRows.map(([number]) => String(number))];
	const { older, newer, at: noted, newest } = late;
	const rest = { older, newer, at: noted, newest, ids };
	if (!missing || looks >= MAX_SEARCHES) return { items, cursor: next.toString(), late: rest };
	const reached = shown.at(-1)?.[0] ?? known.after;
	const stopped = reached < known.after && !isWide ? { stoppedAt: String(highest(reached, BigInt(behind))) } : {};
	return { items, cursor: next.toString(), late: { ...rest, missing, looks, checks: 0, ...stopped } };
}

function highest(one: bigint, other: bigint): bigint {
	return one > other ? one : other;
}
