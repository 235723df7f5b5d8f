import { fill, wrong } from './problem';
import type { Inputs } from './shapes';
import { ACTIONS } from './tables';

const FIELD = 'geschaeftsjahrStartDatum';

/** Refuses a fiscal year that starts in the middle of a month. */
export function checkFiscalYear(action: string, inputs: Inputs): void {
	const given = String(inputs[FIELD]);
	if (given.endsWith('-01')) return;
	const values = { given, month_start: `${given.slice(0, 8)}01` };
	throw wrong(fill(ACTIONS[action].messages?.fiscal_year_start ?? FIELD, values), FIELD);
}
