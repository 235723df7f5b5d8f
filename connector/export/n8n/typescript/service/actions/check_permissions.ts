import { areasIn } from '../envelopes';
import type { Row } from '../shapes';

export function shape(reply: unknown): Row {
	return { items: areasIn(reply) };
}
