import { Cursor } from '../cursor';
import { looksCut, numbered } from '../rows';
import type { Inputs, Row, Turned } from '../shapes';

export { looksCut as more } from '../rows';

export function ask(_: Inputs, cursor: string | undefined): Inputs {
	return cursor === undefined ? {} : { from_id: String(Cursor.read(cursor).readsFrom) };
}

export function turn(items: Row[], cursor: string | undefined, _: Inputs, __: Date, start: string): Turned {
	const known = cursor === undefined ? Cursor.starting(start) : Cursor.read(cursor);
	const rows = numbered(items);
	const fresh = known.skipping ? [] : [...rows].filter(([number]) => number > known.after);
	return {
		rows: fresh.map(([, row]) => ({ ...row, _id: String(row.id) })),
		cursor: known.moved(rows, looksCut(items), new Map()).toString(),
	};
}
