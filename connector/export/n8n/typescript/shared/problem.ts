import type { JsonObject } from 'n8n-workflow';

import { SENTENCES } from './sentences';

export interface Details {
	kind?: string;
	remedy?: string;
	field?: string;
	status?: number;
	reconnectUrl?: string;
	retryAt?: string;
}

/** Something that went wrong, with what to do about it. */
export class Problem extends Error {
	constructor(
		message: string,
		readonly details: Details = {},
	) {
		super(message);
	}
}

/** A sentence of the package, with its blanks filled in. */
export function say(name: string, values: Record<string, unknown> = {}): string {
	return fill(SENTENCES[name] ?? name, values);
}

export function fill(sentence: string, values: Record<string, unknown>): string {
	return sentence.replace(/\{(\w+)(?::\w+)?\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** The inputs are wrong; nothing was sent. */
export function wrong(message: string, field?: string, remedy?: string): Problem {
	const shown = field ? `${field}: ${message}` : message;
	return new Problem(shown, { kind: 'input', field, remedy: remedy ?? say('input_remedy') });
}

/** An error as a flow sees it when it continues on failure. */
export function answered(error: unknown): JsonObject {
	const problem = asProblem(error);
	const { kind, remedy, field, status, reconnectUrl, retryAt } = problem.details;
	const shown = { error: problem.message, kind, remedy, field, status, reconnect_url: reconnectUrl, retry_at: retryAt };
	return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** An error as n8n shows it: what happened, and below it the remedy. */
export function told(error: unknown): { message: string; description?: string; httpCode?: string } {
	const { message, details } = asProblem(error);
	const link = details.reconnectUrl ? ` ${details.reconnectUrl}` : '';
	return {
		message,
		...(details.remedy ? { description: `${details.remedy}${link}` } : {}),
		...(details.status ? { httpCode: String(details.status) } : {}),
	};
}

/** The same where n8n shows nothing but the message: while a workflow is switched on or off. */
export function toldInOne(error: unknown): { message: string; description?: string; httpCode?: string } {
	const { message, description, ...more } = told(error);
	return { message: [message, description].filter(Boolean).join(' '), description, ...more };
}

function asProblem(error: unknown): Problem {
	if (error instanceof Problem) return error;
	return new Problem(error instanceof Error ? error.message : String(error));
}
