/** How the core speaks to people: sentences of the pack with their blanks filled in, and what went wrong. */

import type { Row } from './types.ts';

export interface Details {
	kind: string;
	/** The name of the sentence. */
	reason: string;
	/** Where it is wrong: `belegzeilen[1].betrag`. */
	field?: string;
	/** What the form calls that field. */
	label?: string;
	/** What to do about it. */
	remedy?: string;
	/** The other fields that are wrong. */
	also?: string[];
	status?: number;
	outcome?: 'not_sent' | 'refused' | 'unknown';
	reconnectUrl?: string;
	retryAt?: string;
}

/** Something that went wrong, by what a flow should do next. */
export class Problem extends Error implements Details {
	readonly kind: string;
	readonly reason: string;
	readonly field: string | undefined;
	readonly label: string | undefined;
	readonly remedy: string;
	readonly also: string[];
	readonly status: number | undefined;
	readonly outcome: 'not_sent' | 'refused' | 'unknown';
	readonly reconnectUrl: string | undefined;
	readonly retryAt: string | undefined;

	constructor(message: string, details: Details) {
		super(message);
		this.name = 'Problem';
		this.kind = details.kind;
		this.reason = details.reason;
		this.field = details.field;
		this.label = details.label;
		this.remedy = details.remedy ?? '';
		this.also = details.also ?? [];
		this.status = details.status;
		this.outcome = details.outcome ?? 'refused';
		this.reconnectUrl = details.reconnectUrl;
		this.retryAt = details.retryAt;
	}
}

/** What does not fit a field; its sentence is said by whoever knows the field. */
export class Misfit {
	readonly reason: string;
	readonly values: Row;

	constructor(reason: string, values: Row = {}) {
		this.reason = reason;
		this.values = values;
	}
}

/** What is wrong with an input, and where. */
export interface Finding {
	reason: string;
	field: string;
	label?: string;
	values: Row;
	/** Words of a manifest's own, instead of the pack's sentence. */
	words?: string;
}

export type Say = (name: string, values?: Row) => string;

/** Says sentences of the pack; one that it does not have is its bare name. */
export function sayer(messages: Record<string, string>): Say {
	return (name, values = {}) => fill(messages[name] ?? name, values);
}

/** Blanks are `{name}` or `{name:g}`; doubled braces are braces. */
export function fill(sentence: string, values: Row): string {
	return sentence.replace(/\{\{|\}\}|\{(\w+)(?::\w+)?\}/g, (found, name?: string) =>
		name === undefined ? found.slice(1) : String(values[name] ?? ''),
	);
}

/** The sentence about a finding. One in a list is put behind its line, unless its words name the line themselves. */
export function sentenceOf(messages: Record<string, string>, { words, reason, field, label, values }: Finding): string {
	const sentence = words ?? messages[reason] ?? reason;
	const index = /\[(\d+)\]/.exec(field)?.[1];
	const line = index === undefined ? undefined : Number(index) + 1;
	const text = fill(sentence, { field: label ?? field, label, line, ...values });
	if (line === undefined || sentence.includes('{line}')) return text;
	return fill(messages.in_line ?? '{text}', { line, text });
}

/** The refusal of inputs: the first finding is told, the fields of the others are listed. */
export function refusal(messages: Record<string, string>, [first, ...others]: [Finding, ...Finding[]]): Problem {
	return new Problem(sentenceOf(messages, first), {
		kind: 'input',
		reason: first.reason,
		field: first.field,
		label: first.label,
		remedy: messages.input_remedy,
		also: [...new Set(others.map(({ field }) => field))].sort(),
		outcome: 'not_sent',
	});
}

/** The problem of this kind that a sentence tells; its remedy is that of the kind where nothing better is known. */
export function problem(say: Say, kind: string, reason: string, values: Row, details: Partial<Details> = {}): Problem {
	return new Problem(say(reason, values), { remedy: say(`${kind}_remedy`), ...details, kind, reason });
}
