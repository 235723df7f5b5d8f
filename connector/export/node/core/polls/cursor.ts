/**
 * How far a list ordered by id was read, and which rows behind that point may still become news.
 *
 * As text: `123`; `123~118,121=note:2` with rows that are waited for (and in how many pages they were missing); then
 * `@150` (read on from there, the last page did not reach the end), `+2` (polls in a row that saw nothing new), `!`
 * (history is still being passed over) and `#…` (the ids seen in a window: what is new there is decided by
 * membership, not by position). Rows that are waited for are read again from the lowest one on. A page whose end
 * nobody announces could then end before the new rows, for ever: so reading goes on behind a page that ends early,
 * and every few polls without news one looks only beyond what is known.
 */

import type { Inputs } from '../manifest/pack.ts';
import { at } from '../manifest/templates.ts';
import type { Row } from '../values/value_kinds.ts';
import { firstId } from './page.ts';
import { dayOf, Window, WINDOW_FORM } from './window.ts';

const MAX_QUIET = 3;
/** After so many pages that should have shown it, a row that is waited for is given up. */
const MAX_MISSED = 3;
/** `'()` stand in notes that older packages wrote. */
const NOTED = "[0-9]{1,100}(?:=[A-Za-z0-9%._*'()-]+)?(?::[1-9])?";
const FORM = new RegExp(
	`^([0-9]{1,100})(?:~(${NOTED}(?:,${NOTED})*))?(?:@([0-9]{1,100}))?(?:\\+([0-9]))?(!)?(?:#(${WINDOW_FORM}))?$`,
);

/** Ids with what is remembered of each. */
export type Waiting = Map<bigint, string>;
type Shown = Map<bigint, Row>;

/** A place in a list. It is never changed; `moved` gives the next one. */
export class Cursor {
	/** The highest id seen. */
	readonly after: bigint;
	readonly waiting: Waiting;
	readonly position: bigint | undefined;
	readonly quiet: number;
	readonly skipping: boolean;
	/** How many pages in a row should have shown a waiting id and did not. */
	readonly missed: Map<bigint, number>;
	readonly recent: Window | undefined;

	constructor(
		after = 0n,
		waiting: Waiting = new Map(),
		position?: bigint,
		quiet = 0,
		skipping = false,
		missed = new Map<bigint, number>(),
		recent?: Window,
	) {
		this.after = after;
		this.waiting = waiting;
		this.position = position;
		this.quiet = quiet;
		this.skipping = skipping;
		this.missed = missed;
		this.recent = recent;
	}

	/** Reads the text, or begins; raises `NoCursor` when it is none of ours. */
	static read(text: string | undefined, start: string): Cursor {
		if (text === undefined) return new Cursor(firstId(start) ?? 0n, new Map(), undefined, 0, start === 'now');
		const match = FORM.exec(text);
		if (!match) throw new NoCursor(text);
		const [, after = '0', entries = '', position, quiet = '0', skipping, recent] = match;
		const [waiting, missed]: [Waiting, Map<bigint, number>] = [new Map(), new Map()];
		for (const entry of entries.split(',').filter(Boolean)) {
			const [noted = '', count] = entry.split(':');
			const [id = '0', note = ''] = noted.split('=');
			waiting.set(BigInt(id), unquoted(note, text));
			if (count !== undefined) missed.set(BigInt(id), Number(count));
		}
		const place = position === undefined ? undefined : BigInt(position);
		const seen = recent === undefined ? undefined : Window.read(recent);
		return new Cursor(BigInt(after), waiting, place, Number(quiet), skipping !== undefined, missed, seen);
	}

	toString(): string {
		const entries = sorted(this.waiting.keys()).map((id) => {
			const note = quoted(this.waiting.get(id) ?? '').replace(/%2A/g, '*');
			const missed = this.missed.get(id);
			return `${id}${note ? `=${note}` : ''}${missed ? `:${missed}` : ''}`;
		});
		const waiting = entries.length ? `~${entries.join(',')}` : '';
		const position = this.position === undefined ? '' : `@${this.position}`;
		const marks = `${this.quiet ? `+${this.quiet}` : ''}${this.skipping ? '!' : ''}`;
		return `${this.after}${waiting}${position}${marks}${this.recent ? `#${this.recent}` : ''}`;
	}

	/** The id behind which the next page begins. */
	get readsFrom(): bigint {
		if (this.position !== undefined) return this.position;
		if (this.wholeWindow) return this.readsByDay ? 0n : this.after;
		const lowest = sorted(this.waiting.keys())[0];
		return lowest === undefined ? this.after : highest([lowest - 1n]);
	}

	/** Whether the next page is that of the days in the window, if it is whole. */
	private get readsByDay(): boolean {
		return this.quiet < MAX_QUIET;
	}

	/** The window, if it has days, and all rows that are waited for. */
	private get wholeWindow(): Window | undefined {
		const { recent, waiting } = this;
		if (!recent?.days.size) return undefined;
		const ids = recent.ids;
		return [...waiting.keys()].every((id) => ids.has(id)) ? recent : undefined;
	}

	/** The inputs that say where a list is read on: an id, a day, or both. */
	asks(after: string, since: string | undefined): Inputs {
		const recent = this.wholeWindow;
		if (!recent || since === undefined || !this.readsByDay) return { [after]: String(this.readsFrom) };
		return {
			...(recent.since ? { [since]: recent.since } : {}),
			...(this.position === undefined ? {} : { [after]: String(this.position) }),
		};
	}

	/** Whether a row was not seen before: inside the window by its id, otherwise by its position. */
	isNew(number: bigint, row: Row, came: string | undefined): boolean {
		const day = came === undefined ? undefined : dayOf(at(row, came));
		if (!this.recent || day === undefined || day <= this.recent.since) return number > this.after;
		return !this.recent.has(number, day);
	}

	/** The waiting ids without those that were missing once too often from a page that should have shown them. */
	stillWaiting(shown: Shown, behind?: bigint): Waiting {
		const absent = this.absent(shown, behind);
		const isGivenUp = (id: bigint): boolean => absent.has(id) && (this.missed.get(id) ?? 0) + 1 >= MAX_MISSED;
		return new Map([...this.waiting].filter(([id]) => !isGivenUp(id)));
	}

	/** The waiting ids that lie inside a page and are missing from it. An empty page proves nothing. */
	private absent(shown: Shown, behind = this.readsFrom): Set<bigint> {
		const top = highest(shown.keys());
		return new Set([...this.waiting.keys()].filter((id) => behind < id && id <= top && !shown.has(id)));
	}

	/** The cursor behind a page. It never goes back. A reader who decides where needs no place. */
	moved(rows: Shown, cut: boolean, waiting: Waiting, behind?: bigint, came?: string): Cursor {
		const top = highest(rows.keys());
		const after = highest([top, this.after]);
		const recent = this.windowAfter(rows, waiting, came);
		const onward = (): [bigint | undefined, number] => {
			if (behind !== undefined) return [undefined, 0];
			const whole = this.wholeWindow;
			if (!whole) {
				const [place, polls] = this.onward(top, cut, waiting, after);
				// From here on the days would be read from their beginning.
				const isReadOn = Boolean(recent?.days.size) && top > this.after;
				return [place ?? (isReadOn ? top : undefined), polls];
			}
			const isFresh = [...rows].some(([number, row]) => this.isNew(number, row, came));
			return this.onwardInWindow(whole, top, cut, isFresh);
		};
		const [position, quiet] = onward();
		const absent = this.absent(rows, behind);
		const missed = [...waiting.keys()]
			.filter((id) => !rows.has(id))
			.map((id): [bigint, number] => [id, (this.missed.get(id) ?? 0) + Number(absent.has(id))]);
		const skipping = this.skipping && cut && top > this.after;
		return new Cursor(after, waiting, position, quiet, skipping, new Map(missed), recent);
	}

	/** Whether `then`, the cursor behind a page, must be read on at once: the page ended early. */
	goesOn(then: Cursor): boolean {
		return then.position !== undefined && this.quiet < MAX_QUIET;
	}

	private windowAfter(rows: Shown, waiting: Waiting, came: string | undefined): Window | undefined {
		if (came === undefined) return this.recent;
		const dated = [...rows].map(([number, row]): [bigint, string] => [number, dayOf(at(row, came)) ?? '']);
		const days = new Map(dated.filter(([, day]) => day));
		if (!days.size) return this.recent;
		// Behind a place that was reached without a window, only the days after these rows are known whole.
		const last = [...days.values()].sort().at(-1);
		const recent = this.recent ?? new Window(this.after ? last : '');
		// A row that is given up and shows again is new.
		const givenUp = [...this.waiting.keys()].filter((id) => !waiting.has(id) && !rows.has(id));
		return recent.withRows(days, waiting.keys(), new Set(givenUp));
	}

	/** The same in a window, where only a page without news may be the last. */
	private onwardInWindow(recent: Window, top: bigint, cut: boolean, isFresh: boolean): [bigint | undefined, number] {
		if (top > this.readsFrom && (cut || isFresh || top < highest(recent.ids))) {
			return [top, isFresh && this.readsByDay ? 0 : this.quiet];
		}
		return [undefined, isFresh || !this.readsByDay ? 0 : this.quiet + 1];
	}

	/** Where to read on, and for how many polls nothing new was seen. */
	private onward(top: bigint, cut: boolean, waiting: Waiting, after: bigint): [bigint | undefined, number] {
		const readAgain = this.readsFrom < this.after;
		if (!waiting.size || !top) return [undefined, 0];
		if (cut || top < this.after) {
			const reached = highest([top, this.readsFrom]);
			const rest = sorted(waiting.keys()).find((id) => id > reached);
			if (rest !== undefined) return [rest - 1n, 0];
			return [cut || readAgain ? after : undefined, 0];
		}
		if (!readAgain || top !== this.after) return [undefined, 0];
		// Behind a page that ended early, another one that ends just here need not be the last.
		const beyond = this.position !== undefined || this.quiet === MAX_QUIET;
		return beyond ? [this.after, 0] : [undefined, this.quiet + 1];
	}
}

/** A text is not a cursor of this trigger. */
export class NoCursor extends Error {
	readonly values: Row;

	constructor(text: string) {
		super('cursor_foreign');
		this.values = { text: text.slice(0, 40) };
	}
}

/** The newest of the rows that are waited for, so that the cursor stays bounded. */
export function newest(waiting: Waiting, most: number): Waiting {
	return new Map(
		sorted(waiting.keys())
			.slice(-most)
			.map((id) => [id, waiting.get(id) ?? '']),
	);
}

/** Percent-encoded, with only letters, digits and `_.-` left as they are. */
export function quoted(text: string): string {
	const encode = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
	return encodeURIComponent(text).replace(/[~!*'()]/g, encode);
}

export function unquoted(text: string, cursor: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		throw new NoCursor(cursor) as Error;
	}
}

function sorted(ids: Iterable<bigint>): bigint[] {
	return [...ids].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
}

/** 0 when there is none. */
function highest(ids: Iterable<bigint>): bigint {
	let top = 0n;
	for (const id of ids) if (id > top) top = id;
	return top;
}
