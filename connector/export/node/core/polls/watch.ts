/**
 * Fires when a field of a row that was seen before changes, while the row is young. The first look only takes note.
 *
 * What is remembered of a row: of each field its short form, `-` for no value, else a dot and the value; then the mark
 * of each truth value that is set.
 */

import { Cursor, newest } from '../cursor.ts';
import { berlinDay, daysBefore } from '../dates.ts';
import { isYoung, numbered } from '../rows.ts';
import { at, holds } from '../templates.ts';
import type { Inputs, Row, Watch, WatchedField } from '../types.ts';
import { textOf } from '../values.ts';
import type { Strategy } from './strategy.ts';

const MAX_WATCHED = 5000;
const BETWEEN = ':';
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

	turn(spec, { rows: shown, cut }, { cursor, inputs, now }) {
		const known = Cursor.read(cursor, START);
		const rows = numbered(shown);
		const watched = known.stillWaiting(rows);
		const items: Row[] = [];
		for (const [number, row] of rows) {
			const before = watched.get(number);
			const after = noteOf(spec, row, before);
			watched.delete(number);
			if (before !== undefined) items.push(...changesOf(spec, row, before, after));
			if (isYoung(row, spec, patience(spec, row, inputs), berlinDay(now))) watched.set(number, after);
		}
		return { items, cursor: known.moved(rows, cut, newest(watched, MAX_WATCHED)).toString() };
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
function noteOf(spec: Watch, row: Row, before: string | undefined): string {
	const old = before === undefined ? undefined : partsOf(spec, before);
	const [texts, marks] = fieldsOf(spec);
	const shorts = texts.map(([name, field], index) => {
		const value = at(row, name);
		if (typeof value !== 'string' || !value) return old?.texts[index] ?? '-';
		return field.short?.[value] ?? `.${value}`;
	});
	const set = marks.filter(([name], index) => {
		const value = at(row, name);
		return typeof value === 'boolean' ? value : old?.marks[index];
	});
	return shorts.join(BETWEEN) + set.map(([, field]) => field.mark).join('');
}

function changesOf(spec: Watch, row: Row, before: string, after: string): Row[] {
	const [old, current] = [partsOf(spec, before), partsOf(spec, after)];
	const [texts, marks] = fieldsOf(spec);
	const changes: Array<[change: string, value: string]> = [];
	texts.forEach(([name, field], index) => {
		const short = current.texts[index] ?? '';
		const value = Object.entries(field.short ?? {}).find(([, one]) => one === short)?.[0] ?? short.slice(1);
		if (short !== old.texts[index]) changes.push([field.tell?.[value] ?? name, value]);
	});
	marks.forEach(([name], index) => {
		if (current.marks[index] !== old.marks[index]) changes.push([name, String(current.marks[index])]);
	});
	return changes.map(([change, value]) => {
		return { ...row, _id: `${textOf(row.id)}:${change}:${value}`, [spec.change]: change };
	});
}

/** Fields whose value is remembered, and those of which only a mark is. */
function fieldsOf({ fields }: Watch): [texts: Array<[string, WatchedField]>, marks: Array<[string, WatchedField]>] {
	const all = Object.entries(fields);
	return [all.filter(([, { mark }]) => !mark), all.filter(([, { mark }]) => mark)];
}

function partsOf(spec: Watch, note: string): { texts: string[]; marks: boolean[] } {
	const [texts, marks] = fieldsOf(spec);
	let rest = note;
	const set = [...marks].reverse().map(([, { mark = '' }]) => {
		const isSet = rest.endsWith(mark);
		if (isSet) rest = rest.slice(0, -mark.length);
		return isSet;
	});
	return { texts: texts.length > 1 ? rest.split(BETWEEN) : [rest], marks: set.reverse() };
}
