import { checkFiscalYear } from '../fiscalYear';
import type { Inputs } from '../shapes';

export function check(inputs: Inputs): void {
	checkFiscalYear('get_trial_balance', inputs);
}
