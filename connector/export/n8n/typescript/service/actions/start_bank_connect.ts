import { objectIn } from '../envelopes';
import type { Row } from '../shapes';

/** It has succeeded, and its shape is not shown, so none is an error. */
export function shape(reply: unknown): Row {
	try {
		return objectIn(reply);
	} catch {
		return { answer: reply };
	}
}
