/** What went wrong, as Activepieces shows it: one text, with what to do at its end. */

import { inARow, remedyTold, rowTold, sentenceTold } from '../../node/core/messages.ts';

export function errorTold(error: unknown): Error {
	const { error: _, ...details } = rowTold(error);
	const text = inARow(sentenceTold(error), remedyTold(error));
	return Object.assign(new Error(text), details);
}

/** A function of a step, with its errors told. */
export function telling<A extends unknown[], R>(act: (...given: A) => Promise<R>): (...given: A) => Promise<R> {
	return async (...given) => {
		try {
			return await act(...given);
		} catch (error) {
			throw errorTold(error);
		}
	};
}
