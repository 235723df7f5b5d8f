import { webhookUrlIn } from '../envelopes';
import type { Row } from '../shapes';

/** It has succeeded, so no shape of the answer is an error. */
export function shape(reply: unknown): Row {
	try {
		const url = webhookUrlIn(reply);
		return url ? { webhook_url: url } : { answer: reply };
	} catch {
		return { answer: reply };
	}
}
