import { itemsIn } from '../envelopes';
import type { Row } from '../shapes';

export function shape(reply: unknown): Row {
	return { items: itemsIn(reply).map((item) => (typeof item === 'string' ? { bezeichnung: item } : item)) };
}
