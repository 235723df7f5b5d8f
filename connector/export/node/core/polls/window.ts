/**
 * The ids that a trigger has seen in a window, by the day on which the service says that each row came in.
 *
 * A row of a day inside the window is new when its id is not among them, wherever the id stands. As text: the last day
 * that is known by position only, then each day with its ids, the first one whole and each other as the distance to the
 * one before: `2026-05-01;2026-05-03:5001.1.4;2026-05-04:5010`.
 */

import { daysBefore, plainDay } from '../values/dates.ts';

const MAX_DAYS = 14;
const MAX_IDS = 5000;
const DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
export const WINDOW_FORM = `(?:${DAY})?(?:;${DAY}:[0-9]{1,100}(?:\\.[0-9]{1,100})*)*`;
const STARTS_WITH_DAY = new RegExp(`^${DAY}`);

type Days = Map<string, Set<bigint>>;

/** It is never changed; `withRows` gives the next one. */
export class Window {
	/** The last day of which not every id is known; empty when all are known. */
	readonly since: string;
	readonly days: Days;

	constructor(since = '', days: Days = new Map()) {
		this.since = since;
		this.days = days;
	}

	/** Reads a text that has the form. */
	static read(text: string): Window {
		const [since = '', ...entries] = text.split(';');
		const days = entries.map((entry): [string, Set<bigint>] => {
			const [day = '', ids = ''] = entry.split(':');
			let last = 0n;
			return [day, new Set(ids.split('.').map((distance) => (last += BigInt(distance))))];
		});
		return new Window(since, new Map(days));
	}

	toString(): string {
		const days = [...this.days.keys()].sort().map((day) => `${day}:${distances(this.days.get(day) ?? new Set())}`);
		return [this.since, ...days].join(';');
	}

	/** All ids in it. */
	get ids(): Set<bigint> {
		return new Set([...this.days.values()].flatMap((ids) => [...ids]));
	}

	/** Whether the row was seen; a day that is written in another zone may be one off. */
	has(number: bigint, day: string): boolean {
		return [-1, 0, 1].some((off) => this.days.get(daysBefore(day, off))?.has(number));
	}

	/** After these ids were seen. The oldest days are dropped first, but none that is waited for. */
	withRows(shown: Map<bigint, string>, waiting: Iterable<bigint>, without: Set<bigint>): Window {
		const days: Days = new Map();
		for (const [day, ids] of this.days) {
			const left = [...ids].filter((id) => !without.has(id));
			if (left.length) days.set(day, new Set(left));
		}
		for (const [number, day] of shown) {
			if (day > this.since && !this.has(number, day)) days.set(day, (days.get(day) ?? new Set()).add(number));
		}
		let [since, count] = [this.since, [...days.values()].reduce((sum, { size }) => sum + size, 0)];
		const waited = [...waiting];
		for (const day of [...days.keys()].sort().slice(0, -1)) {
			const ids = days.get(day) ?? new Set();
			if (count <= MAX_IDS && (days.size <= MAX_DAYS || waited.some((id) => ids.has(id)))) break;
			days.delete(day);
			[since, count] = [day, count - ids.size];
		}
		return new Window(since, days);
	}
}

/** The day of a date-time as it is written; undefined when it is none. */
export function dayOf(value: unknown): string | undefined {
	return typeof value === 'string' ? plainDay(STARTS_WITH_DAY.exec(value)?.[0]) : undefined;
}

function distances(ids: Set<bigint>): string {
	const ordered = [...ids].sort((one, other) => (one < other ? -1 : 1));
	return ordered.map((id, place) => id - (ordered[place - 1] ?? 0n)).join('.');
}
