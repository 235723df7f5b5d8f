import { isPlainObject } from '../form';
import type { Option } from '../shapes';

const IDS = ['id', 'code', 'kuerzel'];
const NAMES = ['bezeichnung', 'name'];

/** The service does not show the form of document types: the plausible names of their fields are tried. */
export function options(items: unknown[]): Option[] {
	return items.flatMap((item) => {
		const row: Record<string, unknown> =
			typeof item === 'string' ? { bezeichnung: item } : isPlainObject(item) ? item : {};
		const label = NAMES.map((name) => row[name]).find(Boolean);
		const value = IDS.map((name) => row[name]).find(Boolean) ?? label;
		return value ? [{ value: String(value), label: String(label ?? value) }] : [];
	});
}
