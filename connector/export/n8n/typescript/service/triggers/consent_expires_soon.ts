import { berlinDay, berlinDayOf, daysBetween } from '../dates';
import type { Inputs, Row, Turned } from '../shapes';

const USUAL_DAYS = 7;
const WAITING = 'waiting';

/** Fires once per consent; a renewed consent is a new one. */
export function turn(items: Row[], cursor: string | undefined, inputs: Inputs, now: Date, start: string): Turned {
	if (cursor === undefined && start !== 'all') return { rows: [], cursor: WAITING };
	let told = cursor ?? WAITING;
	const fired: Row[] = [];
	for (const row of items) {
		const ends = berlinDayOf(row.consent_expires_at);
		if (ends === undefined || told === `warned:${ends}`) continue;
		const left = daysBetween(berlinDay(now.getTime()), ends);
		if (left > Number(String(inputs.days ?? USUAL_DAYS))) continue;
		told = `warned:${ends}`;
		fired.push({ ...row, _id: `${row.id ?? inputs.connection_id}:${ends}`, _days_left: left });
	}
	return { rows: fired, cursor: told };
}
