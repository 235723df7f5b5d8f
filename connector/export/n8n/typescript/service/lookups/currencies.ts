import { CURRENCIES } from '../norms';
import type { Option } from '../shapes';

export function options(): Option[] {
	return CURRENCIES.map(([code, name, decimals]) => ({
		value: code,
		label: `${code} – ${name}`,
		hint: decimals ? `0.${'1'.padStart(decimals, '0')}` : '1',
	}));
}
