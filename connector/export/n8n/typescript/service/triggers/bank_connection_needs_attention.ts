import { Alarm } from '../alarm';
import type { Inputs, Row, Turned } from '../shapes';

/** Fires once per kind of trouble, until the bank connection is active without an error. */
export function turn(items: Row[], cursor: string | undefined, inputs: Inputs, _: Date, start: string): Turned {
	let alarm = Alarm.read(cursor);
	const fired: Row[] = [];
	if (cursor === undefined && start !== 'all') return { rows: fired, cursor: alarm.toString() };
	for (const row of items) {
		const trouble = `${row.status}:${row.error_class ?? ''}`;
		if (row.status === 'inactive' || row.status === 'disabled' || row.error_class) {
			if (!alarm.isNews(trouble)) continue;
			alarm = alarm.give(trouble);
			fired.push({ ...row, _id: `${row.id ?? inputs.connection_id}:${alarm.episode}:${trouble}` });
		} else if (row.status === 'active') {
			alarm = alarm.recover();
		}
	}
	return { rows: fired, cursor: alarm.toString() };
}
