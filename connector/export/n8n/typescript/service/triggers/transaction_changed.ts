import type { Waiting } from '../cursor';
import { Cursor, newest } from '../cursor';
import { berlinDay, daysBefore } from '../dates';
import { isYoung, looksCut, numbered } from '../rows';
import type { Inputs, Row, Turned } from '../shapes';
import { sourceCheck } from '../transactionSource';

export { looksCut as more } from '../rows';

const USUAL_DAYS = 14;
const PENDING_DAYS = 30;
const MOST_WATCHED = 5_000;
const DUPLICATE = '*';
const NOTES: Record<string, string> = { posted: '', pending: 'p' };

export const check = sourceCheck('transaction_changed');

/** Reads from the lowest watched row on; while nothing is known, by value date. */
export function ask(inputs: Inputs, cursor: string | undefined, now: Date): Inputs {
	const known = cursor === undefined ? new Cursor() : Cursor.read(cursor);
	if (known.after) return { from_id: String(known.readsFrom) };
	return { from_date: daysBefore(berlinDay(now.getTime()), days(inputs)) };
}

/** Rows are watched while they are young. A change needs two looks: the first poll only takes note. */
export function turn(items: Row[], cursor: string | undefined, inputs: Inputs, now: Date): Turned {
	const known = cursor === undefined ? new Cursor() : Cursor.read(cursor);
	const rows = numbered(items);
	const gone = known.gone(rows);
	const watched: Waiting = new Map([...known.waiting].filter(([id]) => !gone.has(id)));
	const fired: Row[] = [];
	const today = berlinDay(now.getTime());
	for (const [number, row] of rows) {
		const before = watched.get(number);
		watched.delete(number);
		const note = noteOf(row, before);
		if (before !== undefined && note !== before) fired.push(...changes(row, before, note));
		const patience = row.status === 'pending' ? Math.max(days(inputs), PENDING_DAYS) : days(inputs);
		if (isYoung(row, patience, today)) watched.set(number, note);
	}
	return { rows: fired, cursor: known.moved(rows, looksCut(items), newest(watched, MOST_WATCHED)).toString() };
}

function days(inputs: Inputs): number {
	return Number(String(inputs.days ?? USUAL_DAYS));
}

/** What to remember; a field that this page leaves out stays as it was. */
function noteOf(row: Row, before: string | undefined): string {
	const { status, duplicated } = row;
	const old = before === undefined ? '-' : before.replace(DUPLICATE, '');
	const note = typeof status === 'string' && status ? (NOTES[status] ?? `.${status}`) : old;
	const marked = typeof duplicated === 'boolean' ? duplicated : Boolean(before?.endsWith(DUPLICATE));
	return marked ? note + DUPLICATE : note;
}

function changes(row: Row, before: string, note: string): Row[] {
	const found: Array<[string, string]> = [];
	const [old, status] = [before.replace(DUPLICATE, ''), note.replace(DUPLICATE, '')];
	if (old !== status) {
		const name = status === '' ? 'posted' : status === 'p' ? 'pending' : status.slice(1);
		found.push([name === 'posted' ? 'posted' : 'status', name]);
	}
	if (before.endsWith(DUPLICATE) !== note.endsWith(DUPLICATE)) {
		found.push(['duplicated', String(note.endsWith(DUPLICATE))]);
	}
	return found.map(([change, value]) => ({ ...row, _id: `${row.id}:${change}:${value}`, _change: change }));
}
