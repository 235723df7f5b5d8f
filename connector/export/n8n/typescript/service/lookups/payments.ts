import { amountText } from '../amounts';
import { isPlainObject } from '../form';
import type { Option } from '../shapes';

export function options(items: unknown[]): Option[] {
	return items.filter(isPlainObject).filter((item) => item.id).map((item) => {
		const money = amountText(item.amount, item.currency_code);
		const created = String(item.created_at ?? '').slice(0, 10);
		return {
			value: String(item.id),
			label: [item.creditor_name, money].filter(Boolean).join(', ') || String(item.id),
			hint: [item.status, created].filter(Boolean).join(', '),
		};
	});
}
