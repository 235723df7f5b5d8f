/** How nodes speak: by their status, and by errors that catch nodes get. */

import { inARow, remedyTold, rowTold, sentenceTold } from '../../node/core/messages.ts';
import type { RedNode, Status } from './red.ts';

/** Characters that fit below a node. */
const MAX_STATUS = 60;

/**
 * What happened and what to do. A catch node finds the same, taken apart, in `msg.error.cause`; an error has neither
 * name nor stack here, so that its text is the sentence alone.
 */
export function errorTold(error: unknown): Error {
	const { error: message, ...details } = rowTold(error);
	const told = new Error(inARow(sentenceTold(error), remedyTold(error)));
	delete told.stack;
	return Object.assign(told, { name: '', code: details.kind, cause: { message, ...details } });
}

export function showStatus(node: RedNode, fill: Status['fill'], text: string, shape: Status['shape'] = 'dot'): void {
	const cut = text.length > MAX_STATUS ? `${text.slice(0, MAX_STATUS - 1)}…` : text;
	node.status({ fill, shape, text: cut });
}
