import { Exact } from './exact';
import { minorUnits } from './formats';

/** An amount as an option shows it, with its cents; what is no amount shows as nothing. */
export function amountText(amount: unknown, currency: unknown): string {
	const exact = Exact.read(amount);
	if (!exact) return '';
	return `${exact.plus(new Exact(0n, minorUnits(String(currency))))} ${currency ?? ''}`.trim();
}
