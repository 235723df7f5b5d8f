import { isPlainObject } from '../form';
import type { Option } from '../shapes';

/** The service does not show whether document types come as objects or as plain names. */
export function options(items: unknown[]): Option[] {
	return items.flatMap((item) => {
		const row = typeof item === 'string' ? { bezeichnung: item } : isPlainObject(item) ? item : {};
		const value = (row as { id?: unknown }).id || row.bezeichnung;
		return value ? [{ value: String(value), label: String(row.bezeichnung || value) }] : [];
	});
}
