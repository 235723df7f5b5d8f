/** Computes the discount dates and the due date of an invoice from its payment term. */

import { Unreadable } from '../../connector/export/node/core/answers/answers.ts';
import type { ActionCode } from '../../connector/export/node/core/manifest/code.ts';
import { daysBefore } from '../../connector/export/node/core/values/dates.ts';
import type { Row } from '../../connector/export/node/core/values/value_kinds.ts';
import { textOf } from '../../connector/export/node/core/values/value_kinds.ts';

const IN_DAYS = 'NACH_TAGE';
const DATES = { skontoDatum1: 'skontoFrist1', skontoDatum2: 'skontoFrist2', nettoDatum: 'nettoFrist' };
const COPIED = ['id', 'bezeichnung', 'faelligkeitsart', 'skontoSatz1', 'skontoSatz2', 'perioden'];
const MAX_DAYS = 36500;

export const getDueDates: ActionCode = {
	/** The dates of a term in days; of one by period its own texts, since only the accounting system can apply them. */
	shape(reply, inputs) {
		const [term, day] = [reply as Row, textOf(inputs.belegdatum)];
		const isInDays = term.faelligkeitsart === IN_DAYS;
		const dates = Object.entries(DATES).map(([name, days]) => [name, isInDays ? after(day, term[days]) : null]);
		const copied = COPIED.map((name) => [name, term[name]]);
		return { ...Object.fromEntries(copied), belegdatum: day, ...Object.fromEntries(dates) };
	},
};

/** The day so many days later, on whatever weekday it falls. */
function after(day: string, days: unknown): string | null {
	if (days === null || days === undefined) return null;
	const count = Number(textOf(days) || 'none');
	if (typeof days === 'string' || !(count >= 0 && count <= MAX_DAYS) || count % 1) {
		throw new Unreadable('days_no_number', { days: textOf(days) });
	}
	return daysBefore(day, -count);
}
