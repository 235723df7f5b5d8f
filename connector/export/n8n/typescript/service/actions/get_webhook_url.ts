import { webhookUrlIn } from '../envelopes';
import type { Row } from '../shapes';

export function shape(reply: unknown): Row {
	return { webhook_url: webhookUrlIn(reply) };
}
