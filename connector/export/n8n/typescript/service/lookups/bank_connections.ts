import { isPlainObject } from '../form';
import type { Option } from '../shapes';

/** Every bank connection that a payment names, once; the service shows no list of them. */
export function options(items: unknown[]): Option[] {
	const names = new Map<string, string>();
	for (const item of items.filter(isPlainObject)) {
		if (!item.connection_id) continue;
		const id = String(item.connection_id);
		names.set(id, names.get(id) || String(item.provider_name ?? ''));
	}
	const found = [...names].map(([id, name]) => ({ value: id, label: name || id, hint: id }));
	return found.sort((one, other) => one.label.localeCompare(other.label) || (one.value < other.value ? -1 : 1));
}
