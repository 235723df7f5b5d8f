/** How the core speaks to people: sentences of the pack with their blanks filled in, and what went wrong. */

import type { Row } from './values/value_kinds.ts';

export interface Details {
	kind: string;
	/** The name of the sentence. */
	reason: string;
	/** What to do about it. */
	remedy: string;
	outcome: 'not_sent' | 'refused' | 'unknown';
	/** Of a refused write: whether the service's description says that nothing was done, or only its form does. */
	proof?: 'described' | 'assumed';
	/** Where it is wrong: `belegzeilen[1].betrag`. */
	field?: string;
	/** What the form calls that field. */
	label?: string;
	/** The other fields that are wrong. */
	also?: string[];
	status?: number;
	reconnectUrl?: string;
	retryAt?: string;
	/** What a code of the ledger asks for, though it does not prove the outcome of a write. */
	ledgerRemedy?: string;
}

/** Something that went wrong, by what a flow should do next. */
export class Problem extends Error implements Details {
	declare readonly kind: string;
	declare readonly reason: string;
	declare readonly remedy: string;
	declare readonly outcome: Details['outcome'];
	declare readonly proof?: Details['proof'];
	declare readonly field?: string;
	declare readonly label?: string;
	declare readonly also?: string[];
	declare readonly status?: number;
	declare readonly reconnectUrl?: string;
	declare readonly retryAt?: string;
	declare readonly ledgerRemedy?: string;

	constructor(message: string, details: Details) {
		super(message);
		this.name = 'Problem';
		Object.assign(this, details);
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

/** Blanks are `{name}`; doubled braces are braces. */
export function fill(sentence: string, values: Row): string {
	return sentence.replace(/\{\{|\}\}|\{(\w+)\}/g, (found, name?: string) =>
		name === undefined ? found.slice(1) : String(values[name] ?? ''),
	);
}

/** Ends a sentence, and an address that must stay one. */
const ENDED = /[.!?…:]["'”“»)]*$|^https?:\S+$/;

/** Sentences in a row: one that ends without a sign, such as the service's own words, gets a full stop. */
export function inARow(...parts: Array<string | undefined>): string {
	const said = parts.filter((part): part is string => Boolean(part));
	return said.map((part, index) => (index === said.length - 1 || ENDED.test(part) ? part : `${part}.`)).join(' ');
}

/** The sentence about a finding. One in a list is put behind its line, unless it names the line itself. */
export function sentenceOf(messages: Record<string, string>, { words, reason, field, label, values }: Finding): string {
	const sentence = words ?? messages[reason] ?? reason;
	const index = /\[(\d+)\]/.exec(field)?.[1];
	const line = index === undefined ? undefined : Number(index) + 1;
	const text = fill(sentence, { field: label ?? field, label, line, ...values });
	const namesLine = [sentence, messages[reason]].some((one) => one?.includes('{line}'));
	if (line === undefined || namesLine) return text;
	return fill(messages.in_line ?? '{text}', { line, text });
}

/** The refusal of inputs: the first finding is told, the fields of the others are listed. */
export function refusal(messages: Record<string, string>, first: Finding, ...others: Finding[]): Problem {
	const { reason, field, label } = first;
	const also = [...new Set(others.map((one) => one.field))].sort();
	const details: Details = {
		kind: 'input',
		reason,
		remedy: messages.input_remedy ?? '',
		outcome: 'not_sent',
		field,
		label,
	};
	return new Problem(sentenceOf(messages, first), others.length ? { ...details, also } : details);
}

/** The problem of this kind that a sentence tells; its remedy is that of the kind where nothing better is known. */
export function problem(say: Say, kind: string, reason: string, values: Row, details: Partial<Details> = {}): Problem {
	return new Problem(say(reason, values), {
		remedy: say(`${kind}_remedy`),
		outcome: 'refused',
		...details,
		kind,
		reason,
	});
}

/** What went wrong as one sentence, which names its field as the form does. */
export function sentenceTold(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { message, label } = error as Partial<Problem> & Error;
	return label && !message.includes(label) ? `${label}: ${message}` : message;
}

/** What to do about it, and where. */
export function remedyTold(error: unknown): string {
	if (!(error instanceof Problem)) return '';
	return inARow(error.remedy, error.reconnectUrl);
}

/** What went wrong, as a flow reads it that goes on. */
export function rowTold(error: unknown): Row {
	if (!(error instanceof Problem)) return { error: sentenceTold(error) };
	const { kind, remedy, field, status, outcome, reconnectUrl: reconnect_url, retryAt: retry_at } = error;
	const shown = { error: sentenceTold(error), kind, remedy, field, status, outcome, reconnect_url, retry_at };
	return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

/** Of the options of a field: what is missing for them stands in the same form, further up. */
export function inWordsOfForm(say: Say, error: unknown): unknown {
	if (!(error instanceof Problem) || error.reason !== 'missing') return error;
	return new Problem(say('package_choose_first', { field: error.label ?? error.field }), error);
}
