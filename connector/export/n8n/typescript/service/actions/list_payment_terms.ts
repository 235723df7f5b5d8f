import { checkFiscalYear } from '../fiscalYear';
import type { Inputs } from '../shapes';

export function check(inputs: Inputs): void {
	checkFiscalYear('list_payment_terms', inputs);
}
