import type { Waiting } from '../cursor';
import { Cursor } from '../cursor';
import { ageInDays, arrivedLate, looksCut, numbered } from '../rows';
import type { Inputs, Row, Turned } from '../shapes';
import { sourceCheck } from '../transactionSource';

export { looksCut as more } from '../rows';

const PATIENCE_DAYS = 30;

export const check = sourceCheck('new_transaction');

/** Reads on behind the last id; while rows are waited for, from the lowest of them. */
export function ask(_: Inputs, cursor: string | undefined): Inputs {
	return cursor === undefined ? {} : { from_id: String(Cursor.read(cursor).readsFrom) };
}

/** Only the id decides what is new. Pending rows are waited for, and fire when they are posted. */
export function turn(items: Row[], cursor: string | undefined, inputs: Inputs, now: Date, start: string): Turned {
	const known = cursor === undefined ? Cursor.starting(start) : Cursor.read(cursor);
	const rows = numbered(items);
	const gone = known.gone(rows);
	const waiting: Waiting = new Map([...known.waiting].filter(([id]) => !gone.has(id)));
	const fired: Row[] = [];
	for (const [number, row] of rows) {
		const waitedFor = known.waiting.has(number);
		if (number <= known.after && !waitedFor) continue;
		if (inputs.include_pending !== true && row.status === 'pending') {
			if (isWorthWaiting(row, now)) waiting.set(number, '');
			else waiting.delete(number);
			continue;
		}
		if (waitedFor) waiting.delete(number);
		else if (known.skipping) continue;
		if (inputs.include_duplicates === true || row.duplicated !== true) {
			fired.push({ ...row, _id: String(row.id), _late: arrivedLate(row) });
		}
	}
	return { rows: fired, cursor: known.moved(rows, looksCut(items), waiting).toString() };
}

function isWorthWaiting(row: Row, now: Date): boolean {
	const age = ageInDays(row, now);
	return age === undefined || age <= PATIENCE_DAYS;
}
