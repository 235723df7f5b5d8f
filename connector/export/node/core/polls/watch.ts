/**
 * Fires when a field of a row that was seen before changes, while the row is young. The first look only takes note.
 *
 * What is remembered of a row: of one field its short form, `-` for no value, else a dot and the value; then the mark
 * of another one where that is true.
 */

import type { Watch, WatchedField } from '../manifest/form.ts';
import type { Inputs } from '../manifest/pack.ts';
import { at, holds } from '../manifest/templates.ts';
import { berlinDay, daysBefore } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import { Cursor, newest } from './cursor.ts';
import { isYoung, newestDay, numbered } from './page.ts';
import type { Strategy } from './strategy.ts';

const MAX_WATCHED = 5000;
const NONE = '-';
/** The first look takes note of all, whatever the start. */
const START = 'all';

export const watch: Strategy<Watch> = {
	byNumber: true,

	/** Reads from the lowest watched row on, which finds late arrivals too; while nothing is known, by date. */
	asks(spec, { cursor, inputs, now }) {
		const known = Cursor.read(cursor, START);
		if (known.after) return { [spec.after]: String(known.readsFrom) };
		return { [spec.since]: daysBefore(berlinDay(now), daysOf(spec, inputs)) };
	},

	turn(spec, { rows: shown, cut, behind }, { cursor, inputs, now }) {
		const known = Cursor.read(cursor, START);
		const rows = numbered(shown);
		const watched = known.stillWaiting(rows, behind);
		const items: Row[] = [];
		const last = newestDay(rows.values(), spec, now);
		for (const [number, row] of rows) {
			const before = watched.get(number);
			const after = noteOf(spec, row, before);
			watched.delete(number);
			if (before !== undefined) items.push(...changesOf(spec, row, before, after));
			if (isYoung(row, spec, patience(spec, row, inputs), last)) watched.set(number, after);
		}
		const then = known.moved(rows, cut, newest(watched, MAX_WATCHED), behind);
		const fresh = [...rows.keys()].some((number) => number > known.after);
		return { items, cursor: then.toString(), more: known.goesOn(then), fresh };
	},
};

function daysOf({ days }: Watch, inputs: Inputs): number {
	return Number(textOf(inputs[days]));
}

function patience(spec: Watch, row: Row, inputs: Inputs): number {
	const longer = spec.longer && holds(spec.longer.when, row) ? spec.longer.days : 0;
	return Math.max(daysOf(spec, inputs), longer);
}

/** What to remember; a field that this page leaves out stays as it was. */
function noteOf({ fields }: Watch, row: Row, before: string | undefined): string {
	const [[name, { short }], [flag, { mark }]] = pairOf(fields);
	const [text, isSet] = [at(row, name), at(row, flag)];
	const earlierNote = before === undefined ? NONE : without(before, mark);
	const note = typeof text === 'string' && text ? (short[text] ?? `.${text}`) : earlierNote;
	const marked = typeof isSet === 'boolean' ? isSet : before?.endsWith(mark);
	return marked ? note + mark : note;
}

function changesOf({ fields, change: as }: Watch, row: Row, before: string, after: string): Row[] {
	const [[name, { short, tell }], [flag, { mark }]] = pairOf(fields);
	const [old, current] = [without(before, mark), without(after, mark)];
	const changes: Array<[change: string, value: string]> = [];
	if (old !== current) {
		const value = Object.keys(short).find((one) => short[one] === current) ?? current.slice(1);
		changes.push([tell[value] ?? name, value]);
	}
	if (before.endsWith(mark) !== after.endsWith(mark)) changes.push([flag, String(after.endsWith(mark))]);
	return changes.map(([change, value]) => ({ ...row, _id: `${textOf(row.id)}:${change}:${value}`, [as]: change }));
}

type Pair = [text: [string, Required<Pick<WatchedField, 'short' | 'tell'>>], flag: [string, { mark: string }]];

/** The field whose value is remembered, and the one of which only a mark is. */
function pairOf(fields: Watch['fields']): Pair {
	const [[name = '', { short = {}, tell = {} } = {}] = []] = Object.entries(fields).filter(([, one]) => one.short);
	const [[flag = '', { mark = '*' } = {}] = []] = Object.entries(fields).filter(([, one]) => one.mark);
	return [
		[name, { short, tell }],
		[flag, { mark }],
	];
}

function without(note: string, mark: string): string {
	return note.endsWith(mark) ? note.slice(0, -mark.length) : note;
}
