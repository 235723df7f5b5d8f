import { complaint } from '../complain';
import { daysBetween } from '../dates';
import type { Inputs } from '../shapes';

export function check(inputs: Inputs): void {
	const [created_from, created_to] = [inputs.created_from as string, inputs.created_to as string];
	if (created_from && created_to && created_from > created_to) {
		const days = daysBetween(created_to, created_from);
		throw complaint('list_payments', 'dates_reversed', 'created_from', { created_from, created_to, days });
	}
	const sort = inputs.sort ?? 'date';
	if (inputs.from_id !== undefined && sort !== 'id') {
		throw complaint('list_payments', 'cursor_needs_order', 'from_id', { sort });
	}
}
