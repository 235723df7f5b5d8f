/** What the core is given beside the pack: a platform, and the code that stands beside the manifests. */

import type { Row } from './pack.ts';
import type { State } from './state.ts';

export type * from './form.ts';
export type * from './pack.ts';

/** Inputs that were checked: texts, truth values, exact numbers, and lists and objects of these. */
export type Inputs = Record<string, unknown>;

/** A request to the letter, without the API key: the adapter adds that. Times are milliseconds. */
export interface Outgoing {
	method: string;
	url: string;
	headers: Record<string, string>;
	body?: string;
	timeout: number;
}

/** Names of headers are in lower case. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	text: string;
}

/** Nothing came back; `never_sent` only where it is certain that the service saw no part of the request. */
export interface Lost {
	lost: 'never_sent' | 'maybe_sent';
	timedOut?: boolean;
}

/** When inputs are read, in milliseconds since 1970, and the time zone of the flow where the platform tells it. */
export interface When {
	now: number;
	zone?: string;
}

/** Of bytes, or of a text's UTF-8, in hexadecimal digits. */
export type Sha256 = (data: string | Uint8Array) => string;

export interface Platform {
	baseUrl: string;
	/** Never throws for trouble on the network, follows no redirect. */
	send(request: Outgoing): Promise<Answer | Lost>;
	/** Milliseconds since 1970. */
	now(): number;
	sleep(milliseconds: number): Promise<void>;
	sha256: Sha256;
	/** The time zone of the flow. */
	zone?: string;
	/** How long one call may take with all its repeats; twice its timeout where nothing is said. */
	patience?: number;
	/** Where writes are remembered from one run to the next. */
	state?: State;
	/** Whether the credential lets an agent pay. */
	agentsMayPay?: boolean;
	/** Hides the API key in what the service answers. */
	redact?(text: string): string;
}

/** What an event trigger has told of. Nothing is awaited between `recall` and `remember`. */
export interface Memory {
	recall(): Told;
	remember(told: Told): void;
}

export interface Told {
	/** The last status told of each payment. */
	statuses: Record<string, string>;
	/** The ids of the events told of. */
	seen: string[];
	/** When an event first came in that is not decided yet, by its id. */
	arrived: Record<string, string>;
}

export interface Option {
	value: string;
	label: string;
	hint: string;
}

/** A page of a list. */
export interface Page {
	rows: Row[];
	cut: boolean;
	/** The id behind which it begins, where its reader decides that, and not the place in the cursor. */
	behind?: bigint;
}

export interface Turned {
	items: Row[];
	cursor: string;
	/** The page ended before rows that are known to be there. */
	more?: boolean;
	/** It showed rows that were not seen before: only a page without any is surely the last. */
	news?: boolean;
}

export interface Polled extends Turned {
	/** The list was cut off: asking again at once may bring more. */
	more: boolean;
	/** How many rows the last page had, and how many of all were new. */
	shown?: number;
	fresh?: number;
	/** The list was read to its end, whatever is counted. */
	isEnd?: boolean;
	/** The ids of the new ones, and when the newest row came in, where the list says that. */
	ids?: bigint[];
	newest?: string;
}

/** How many rows had been read before, and how many the accounts list counts. */
export interface Counts {
	before?: number | undefined;
	counted?: number | undefined;
}

/** How a list is asked for. */
export interface How extends Counts {
	/** No row is read again. */
	ahead?: boolean;
}

/** Rows that are counted and were not shown, and what is needed to find them (`late_rows.ts`). */
export interface Late {
	/** Where the list ended one to two days ago and later, when that was noted, and the ids seen since. */
	older: string;
	newer: string;
	at: number;
	ids: string[];
	/** When the newest row came in while the count was right. */
	newest?: string | undefined;
	/** How many are missing, how often they were looked for, and how many checks have passed since. */
	missing?: number;
	looks?: number;
	checks?: number;
	/** Where a look ended too early; the next one goes on there. */
	stoppedAt?: string;
}

/** What a platform keeps of a paid poll beside its cursor. */
export interface Looked {
	/** Milliseconds since 1970. */
	at: number;
	/** What the free accounts list showed before, and how many rows it counted; absent where not all was read. */
	seen?: string;
	rows?: number;
	/** When rows that are waited for were last read again, and how many others were pending then. */
	again?: number;
	others?: number;
	/** When the accounts last changed, and how often in a row nothing came of a new time alone. */
	touched?: string;
	misses?: number;
	/** How many paid looks were left then. */
	left?: number;
	late?: Late;
	/** How many rows the largest page had, where no cursor is kept. */
	page?: number;
}

export interface OwnRequest {
	method: string;
	path: string;
	query?: Row;
	body?: unknown;
	quelle?: boolean;
}

/** Says a sentence of the manifest about a field. */
export type Refuse = (reason: string, field: string, values?: Row) => never;

export interface ActionCode {
	check?(inputs: Inputs, refuse: Refuse): void;
	request?(inputs: Inputs): OwnRequest;
	/** Gets the answer as it came, or the item that was picked of it. */
	shape?(reply: unknown, inputs: Inputs): Row;
}

export interface TriggerCode {
	asks?(inputs: Inputs, cursor: string | undefined, start: string, now: number): Inputs;
	/** Raises an `Error` when the cursor is none of its own. */
	turn(page: Page, cursor: string | undefined, inputs: Inputs, now: number, start: string): Turned;
}

export interface Code {
	actions?: Record<string, ActionCode>;
	triggers?: Record<string, TriggerCode>;
}
