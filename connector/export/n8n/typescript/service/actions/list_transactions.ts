import { complaint } from '../complain';
import { daysBetween } from '../dates';
import type { Inputs } from '../shapes';

export function check(inputs: Inputs): void {
	if (inputs.connection_id === undefined && inputs.account_id === undefined) {
		throw complaint('list_transactions', 'source_missing', 'connection_id');
	}
	const [from_date, to_date] = [inputs.from_date as string | undefined, inputs.to_date as string | undefined];
	if (from_date && to_date && from_date > to_date) {
		const days = daysBetween(to_date, from_date);
		throw complaint('list_transactions', 'dates_reversed', 'from_date', { from_date, to_date, days });
	}
}
