/** What went wrong, as n8n shows it and as a workflow sees it that goes on. */

import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { Problem, sayer } from '../core/messages';
import { PACK } from '../pack';

export const say = sayer(PACK.messages);

/** What happened, and below it what to do, and what was done before. `inOne` is where n8n shows the message alone. */
export function apiError(
	context: { getNode(): INode },
	error: unknown,
	{ inOne = false, itemIndex, done = [] }: { inOne?: boolean; itemIndex?: number; done?: string[] } = {},
): NodeApiError {
	const { remedy = '', reconnectUrl = '', status } = error instanceof Problem ? error : ({} as Partial<Problem>);
	const before = done.length ? say('package_done_before', { done: done.join('; ') }) : '';
	const description = [remedy, reconnectUrl, before].filter(Boolean).join(' ');
	return new NodeApiError(context.getNode(), answered(error), {
		message: inOne ? [sentence(error), description].filter(Boolean).join(' ') : sentence(error),
		...(description ? { description } : {}),
		...(status ? { httpCode: String(status) } : {}),
		...(itemIndex === undefined ? {} : { itemIndex }),
	});
}

/** The error as an item. */
export function answered(error: unknown): JsonObject {
	if (!(error instanceof Problem)) return { error: sentence(error) };
	const { kind, remedy, field, status, outcome, reconnectUrl: reconnect_url, retryAt: retry_at } = error;
	const shown = { error: sentence(error), kind, remedy, field, status, outcome, reconnect_url, retry_at };
	return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** A sentence names its field as the form does. */
function sentence(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { message, label } = error as Partial<Problem> & Error;
	return label && !message.includes(label) ? `${label}: ${message}` : message;
}
