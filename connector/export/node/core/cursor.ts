/**
 * How far a list ordered by id was read, and which rows behind that point may still become news.
 *
 * As text: `123`; `123~118,121=note` with rows that are waited for; then `@150` (read on from there, the last page did
 * not reach the end), `+2` (polls in a row that saw nothing new) and `!` (history is still being passed over). Rows
 * that are waited for are read again from the lowest one on. A page whose end nobody announces could then end before
 * the new rows, for ever: so reading goes on behind a page that ends early, and every few polls without news one looks
 * only beyond what is known.
 */

import { firstId } from './rows.ts';
import type { Row } from './types.ts';

const MAX_QUIET = 3;
/** `'()` stand in notes that older packages wrote. */
const NOTED = "[0-9]{1,100}(?:=[A-Za-z0-9%._*'()-]+)?";
const FORM = new RegExp(`^([0-9]{1,100})(?:~(${NOTED}(?:,${NOTED})*))?(?:@([0-9]{1,100}))?(?:\\+([0-9]))?(!)?$`);

/** Ids with what is remembered of each. */
export type Waiting = Map<bigint, string>;
type Shown = Map<bigint, unknown>;

/** A place in a list. It is never changed; `moved` gives the next one. */
export class Cursor {
	/** The highest id seen. */
	readonly after: bigint;
	readonly waiting: Waiting;
	readonly position: bigint | undefined;
	readonly quiet: number;
	readonly skipping: boolean;

	constructor(after = 0n, waiting: Waiting = new Map(), position?: bigint, quiet = 0, skipping = false) {
		this.after = after;
		this.waiting = waiting;
		this.position = position;
		this.quiet = quiet;
		this.skipping = skipping;
	}

	/** Reads the text, or begins; raises `NoCursor` when it is none of ours. */
	static read(text: string | undefined, start: string): Cursor {
		if (text === undefined) return new Cursor(firstId(start) ?? 0n, new Map(), undefined, 0, start === 'now');
		const found = FORM.exec(text);
		if (!found) throw new NoCursor(text);
		const [, after = '0', entries = '', position, quiet = '0', skipping] = found;
		const waiting = entries
			.split(',')
			.filter(Boolean)
			.map((entry): [bigint, string] => {
				const [id = '0', note = ''] = entry.split('=');
				return [BigInt(id), unquoted(note, text)];
			});
		const place = position === undefined ? undefined : BigInt(position);
		return new Cursor(BigInt(after), new Map(waiting), place, Number(quiet), skipping !== undefined);
	}

	toString(): string {
		const entries = sorted(this.waiting.keys()).map((id) => {
			const note = quoted(this.waiting.get(id) ?? '').replace(/%2A/g, '*');
			return note ? `${id}=${note}` : String(id);
		});
		const waiting = entries.length ? `~${entries.join(',')}` : '';
		const position = this.position === undefined ? '' : `@${this.position}`;
		return `${this.after}${waiting}${position}${this.quiet ? `+${this.quiet}` : ''}${this.skipping ? '!' : ''}`;
	}

	/** The id behind which the next page begins. */
	get readsFrom(): bigint {
		if (this.position !== undefined) return this.position;
		const lowest = sorted(this.waiting.keys())[0];
		return lowest === undefined ? this.after : highest([lowest - 1n]);
	}

	/** The waiting ids without those that lie inside a page and are missing from it. An empty page proves nothing. */
	stillWaiting(shown: Shown, behind = this.readsFrom): Waiting {
		const [first, top] = [behind, highest(shown.keys())];
		return new Map([...this.waiting].filter(([id]) => !(first < id && id <= top && !shown.has(id))));
	}

	/** The cursor behind a page. It never goes back. A reader who decides where needs no place. */
	moved(shown: Shown, cut: boolean, waiting: Waiting, behind?: bigint): Cursor {
		const top = highest(shown.keys());
		const after = highest([top, this.after]);
		const [position, quiet] = behind === undefined ? this.onward(top, cut, waiting, after) : [undefined, 0];
		return new Cursor(after, waiting, position, quiet, this.skipping && cut && top > this.after);
	}

	/** Whether `then`, the cursor behind a page, must be read on at once: the page ended early. */
	goesOn(then: Cursor): boolean {
		return then.position !== undefined && this.quiet < MAX_QUIET;
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
