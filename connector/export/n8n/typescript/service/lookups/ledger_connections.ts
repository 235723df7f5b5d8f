import { isPlainObject } from '../form';
import type { Option, Row } from '../shapes';

/** Those that work come first; one without a name shows its id. */
export function options(items: unknown[]): Option[] {
	const order = (item: Row) => `${item.status === 'connected' ? 0 : 1}${String(item.bezeichnung || '\uffff')}`;
	return items
		.filter(isPlainObject)
		.filter((item) => item.id)
		.sort((one, other) => (order(one) < order(other) ? -1 : 1))
		.map((item) => ({
			value: String(item.id),
			label: String(item.bezeichnung || item.id),
			hint: String(item.status ?? ''),
		}));
}
