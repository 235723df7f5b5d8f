import { amountText } from '../amounts';
import { isPlainObject } from '../form';
import type { Option } from '../shapes';

export function options(items: unknown[]): Option[] {
	return items.filter(isPlainObject).filter((item) => item.id).map((item) => {
		const name = String(item.name || item.id);
		const iban = isPlainObject(item.extra) ? item.extra.iban : undefined;
		return {
			value: String(item.id),
			label: iban ? `${name} (… ${String(iban).slice(-4)})` : name,
			hint: amountText(item.balance, item.currency_code),
		};
	});
}
