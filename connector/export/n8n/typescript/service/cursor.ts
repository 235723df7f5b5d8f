/**
 * How far a list ordered by id was read, and which rows behind that point may still become news.
 *
 * As text: `123`; `123~118,121=note` with rows that are waited for; then `@150` (read on from there, the last page did
 * not reach the end), `+2` (polls without news in a row) and `!` (history is still being passed over).
 */

import { firstId } from './rows';
import { Problem, say } from './problem';

const FORM = /^([0-9]{1,100})(?:~([^@+!]+))?(?:@([0-9]{1,100}))?(?:\+([0-9]))?(!)?$/;
const MOST_QUIET = 3;

export type Waiting = Map<bigint, string>;

export class Cursor {
	constructor(
		readonly after: bigint = 0n,
		readonly waiting: Waiting = new Map(),
		readonly position?: bigint,
		readonly quiet = 0,
		readonly skipping = false,
	) {}

	static read(text: string): Cursor {
		const found = FORM.exec(text);
		if (!found) throw new Problem(say('cursor_invalid', { why: text.slice(0, 40) }));
		const [, after, entries, position, quiet, skipping] = found;
		const waiting: Waiting = new Map();
		for (const entry of (entries ?? '').split(',').filter(Boolean)) {
			const [id, note = ''] = entry.split('=');
			waiting.set(BigInt(id), decodeURIComponent(note));
		}
		return new Cursor(
			BigInt(after),
			waiting,
			position === undefined ? undefined : BigInt(position),
			Number(quiet ?? 0),
			skipping !== undefined,
		);
	}

	/** Before the first poll. */
	static starting(start: string): Cursor {
		const first = firstId(start);
		return first === undefined ? new Cursor(0n, new Map(), undefined, 0, true) : new Cursor(first);
	}

	toString(): string {
		const entries = sorted(this.waiting.keys()).map((id) => {
			const note = encodeURIComponent(this.waiting.get(id) ?? '').replace(/[~!]/g, (sign) => `%${hex(sign)}`);
			return note ? `${id}=${note}` : String(id);
		});
		const waiting = entries.length ? `~${entries.join(',')}` : '';
		const position = this.position === undefined ? '' : `@${this.position}`;
		return `${this.after}${waiting}${position}${this.quiet ? `+${this.quiet}` : ''}${this.skipping ? '!' : ''}`;
	}

	/** The id behind which the next page begins. */
	get readsFrom(): bigint {
		if (this.position !== undefined) return this.position;
		if (!this.waiting.size) return this.after;
		const lowest = sorted(this.waiting.keys())[0] - 1n;
		return lowest > 0n ? lowest : 0n;
	}

	/** The waiting ids that lie inside a page and are missing from it. An empty page proves nothing. */
	gone(shown: Map<bigint, unknown>): Set<bigint> {
		const [first, top] = [this.readsFrom, highest(shown.keys())];
		return new Set([...this.waiting.keys()].filter((id) => first < id && id <= top && !shown.has(id)));
	}

	/** The cursor behind a page. It never goes back. */
	moved(shown: Map<bigint, unknown>, cut: boolean, waiting: Waiting): Cursor {
		const top = highest(shown.keys());
		const after = top > this.after ? top : this.after;
		const [position, quiet] = this.onward(top, cut, waiting, after);
		return new Cursor(after, waiting, position, quiet, this.skipping && cut && top > this.after);
	}

	private onward(top: bigint, cut: boolean, waiting: Waiting, after: bigint): [bigint | undefined, number] {
		const readAgain = this.readsFrom < this.after;
		if (!waiting.size || !top) return [undefined, 0];
		if (cut || top < this.after) {
			const reached = top > this.readsFrom ? top : this.readsFrom;
			const rest = sorted(waiting.keys()).find((id) => id > reached);
			if (rest !== undefined) return [rest - 1n, 0];
			return [cut || readAgain ? after : undefined, 0];
		}
		if (readAgain && top === this.after) {
			const beyond = this.position !== undefined || this.quiet === MOST_QUIET;
			return beyond ? [this.after, 0] : [undefined, this.quiet + 1];
		}
		return [undefined, 0];
	}
}

export function sorted(ids: Iterable<bigint>): bigint[] {
	return [...ids].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
}

/** The newest of the rows that are waited for, so that the cursor stays bounded. */
export function newest(waiting: Waiting, most: number): Waiting {
	return new Map(sorted(waiting.keys()).slice(-most).map((id) => [id, waiting.get(id) ?? '']));
}

function highest(ids: Iterable<bigint>): bigint {
	let top = 0n;
	for (const id of ids) if (id > top) top = id;
	return top;
}

function hex(sign: string): string {
	return sign.charCodeAt(0).toString(16).toUpperCase();
}
