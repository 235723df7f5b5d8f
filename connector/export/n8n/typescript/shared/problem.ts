/** What went wrong, as n8n shows it and as a workflow sees it that goes on. */

import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { inARow, Problem, remedyTold, rowTold, sayer, sentenceTold } from '../core/messages';
import { PACK } from '../pack';

export const say = sayer(PACK.messages);

/** What happened, and below it what to do, and what was done before. `inOne` is where n8n shows the message alone. */
export function apiError(
	context: { getNode(): INode },
	error: unknown,
	{ inOne = false, itemIndex, done = [] }: { inOne?: boolean; itemIndex?: number; done?: string[] } = {},
): NodeApiError {
	const { status } = error instanceof Problem ? error : ({} as Partial<Problem>);
	const [said, before] = [sentenceTold(error), done.length ? say('package_done_before', { done: done.join('; ') }) : ''];
	const description = inARow(remedyTold(error), before);
	return new NodeApiError(context.getNode(), rowTold(error) as JsonObject, {
		message: inOne ? inARow(said, description) : said,
		...(description ? { description } : {}),
		...(status ? { httpCode: String(status) } : {}),
		...(itemIndex === undefined ? {} : { itemIndex }),
	});
}
