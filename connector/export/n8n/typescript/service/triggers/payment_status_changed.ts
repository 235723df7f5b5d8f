import type { Waiting } from '../cursor';
import { Cursor, newest } from '../cursor';
import { isFinal, movesForward } from '../paymentStatus';
import { looksCut, numbered } from '../rows';
import type { Inputs, Row, Turned } from '../shapes';

export { looksCut as more } from '../rows';

const MOST_WATCHED = 5_000;

/** Reads from the lowest payment that is not final. */
export function ask(_: Inputs, cursor: string | undefined): Inputs {
	return cursor === undefined ? {} : { from_id: String(Cursor.read(cursor).readsFrom) };
}

export function turn(items: Row[], cursor: string | undefined, inputs: Inputs, _: Date, start: string): Turned {
	const known = cursor === undefined ? Cursor.starting(start) : Cursor.read(cursor);
	const rows = numbered(items);
	const gone = known.gone(rows);
	const watched: Waiting = new Map([...known.waiting].filter(([id]) => !gone.has(id)));
	const fired: Row[] = [];
	for (const [number, row] of rows) {
		const before = known.waiting.get(number);
		const firstSight = number > known.after;
		const { status } = row;
		if (typeof status !== 'string' || !status || !(before || firstSight) || !movesForward(before, status)) continue;
		watched.set(number, status);
		const wanted = inputs.status === undefined || inputs.status === status;
		if (wanted && !(firstSight && known.skipping)) {
			fired.push({ ...row, _id: `${row.id}:${status}`, _previous_status: before ?? null });
		}
	}
	const open: Waiting = new Map([...watched].filter(([, status]) => !isFinal(status)));
	return { rows: fired, cursor: known.moved(rows, looksCut(items), newest(open, MOST_WATCHED)).toString() };
}
