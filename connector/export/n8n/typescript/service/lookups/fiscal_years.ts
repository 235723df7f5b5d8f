import { berlinDay } from '../dates';
import type { Option } from '../shapes';

const YEARS = 6;

/** Calendar years from next year back. */
export function options(): Option[] {
	const next = Number(berlinDay(Date.now()).slice(0, 4)) + 1;
	return Array.from({ length: YEARS }, (_, back) => next - back).map((year) => ({
		value: `${year}-01-01`,
		label: `${year} (1 Jan ${year} – 31 Dec ${year})`,
	}));
}
