/** The pack: what Python makes of the manifests, in one language and with the names on the wire filled in. */

import type { EventSpec, Row, ServiceEvent } from './types.ts';

export interface Field {
	name: string;
	type: string;
	label: string;
	required?: boolean;
	/** A list that needs at least one entry. */
	list_required?: boolean;
	default?: unknown;
	format?: string;
	/** `also` is the label in the other language. */
	values?: Array<{ value: string; label: string; also?: string }>;
	/** Other values than the listed ones are taken too. */
	open?: boolean;
	fields?: Field[];
	aliases?: string[];
	min?: number;
	max?: number;
	max_length?: number;
	currency_field?: string;
	in?: 'path' | 'query' | 'body' | 'whole_body' | 'beside_body' | 'beside_query' | 'none';
	/** Its name on the wire; null when the service has no such parameter. */
	as?: string | null;
	/** The assumption that its name on the wire rests on. */
	wire?: string;
	/** Filled in at each poll; no form shows it. */
	internal?: boolean;
	/** A rule can derive it: it is required only where none can. */
	derived?: boolean;
}

/** Paths with values; a list of such mappings holds when one of them does. */
export type Condition = Row | Row[];
export type Template = string | string[];

export interface Rule {
	words?: Record<string, string>;
	warn?: boolean;
	[rule: string]: unknown;
}

export interface Shape {
	first_of?: string[];
	as?: string;
	else_answer?: boolean;
	entries?: { as: string; named?: string[]; having?: string };
	wrap?: string;
	keep?: string[];
	/** The one item of the list whose field `by` is the input; the inputs `with` go along. */
	pick?: { input: string; by: string; with?: string[] };
}

export interface OptionsSpec {
	value: string;
	label?: Template;
	hint?: Template;
	wrap?: string;
	distinct?: boolean;
	sort?: Array<string | { first: Condition }>;
	table?: string | Row[];
	years?: { from: number; to: number };
}

/** When a row came in, and its own date. */
export interface Dated {
	came?: string;
	made?: string;
}

export interface ById {
	after: string;
	wait?: Dated & { when: Condition; unless?: string; days?: number };
	skip?: { when: Condition; unless?: string };
	late?: Dated & { as: string; days: number };
	look_back?: { days: number; since: string };
	window?: SeenWindow;
}

/** The field that says when a row came in, and the input that reads from a day on. */
export interface SeenWindow {
	came: string;
	since: string;
}

export interface Progress {
	after: string;
	field: string;
	states: string;
	previous?: string;
	only?: string;
	window?: SeenWindow;
}

export interface WatchedField {
	short?: Record<string, string>;
	tell?: Record<string, string>;
	mark?: string;
}

export interface Watch extends Dated {
	after: string;
	since: string;
	days: string;
	longer?: { when: Condition; days: number };
	fields: Record<string, WatchedField>;
	change: string;
}

export interface Seen {
	order?: string;
}

export interface AlarmSpec {
	below?: { of: string[]; input: string; as?: string };
	within?: { date: string; input: string; as?: string };
	when?: Condition;
	clear?: Condition;
	key?: Template;
	id: Template;
	/** What is watched one by one where no input names one: input, lookup that lists all, and their field. */
	each?: { input: string; from: string; as: string; how: string };
}

export interface Poll {
	by_id?: ById;
	progress?: Progress;
	watch?: Watch;
	seen?: Seen;
	alarm?: AlarmSpec;
	code?: boolean;
}

/** The list in which a write can be found again, and the marks in it by which it is known. */
export interface ReadBack {
	action: string;
	/** The action that reads one of its rows. */
	one?: string;
	key_field: string;
	key_name: string;
	digest_name: string;
	/** The field of a row that says when it was made, and the input of the list that leaves out earlier days. */
	made?: string;
	since?: string;
	/** The input of the list that bounds how many rows it shows. */
	most?: string;
}

export interface Thrift {
	least: number;
	/** Free signs: which inputs name the bank connection and the account, and how long they may be silent. */
	signs?: { group: string; part: string; quiet: number };
}

export interface Manifest {
	kind: string;
	id: string;
	title: string;
	inputs: Field[];
	request?: {
		method: string;
		path?: string;
		paths?: { by: string; choose: Record<string, string> };
		query?: Record<string, string>;
		answer?: { in?: string; assumed?: boolean };
	};
	quelle?: boolean;
	marked?: boolean;
	timeout?: number;
	rules?: Rule[];
	code?: boolean;
	messages?: Record<string, string>;
	writes?: boolean;
	repeat?: 'harmless' | 'same_result' | 'duplicates';
	read_back?: ReadBack;
	moves?: string;
	/** It takes one item out of a list, at this cost. */
	picks?: { credits: number };
	/** `columns` are the fields by which a person knows the output. */
	output?: { list?: boolean; shape?: Shape; columns?: Column[] };
	options?: OptionsSpec;
	source?: 'poll' | 'event';
	/** How rarely a paid list is read; intervals in seconds. */
	thrift?: Thrift;
	poll?: Poll;
	event?: EventSpec;
}

/** A field of an output, and what its known values are called. */
export interface Column {
	name: string;
	words?: Record<string, string>;
}

export interface Format {
	/** What the whole text must match, once it is tidied. */
	pattern?: string;
	tidy?: string[];
	/** The sentence that is said when pattern or check fail, where the check has none of its own. */
	message: string;
	check?: string;
}

export interface Currency {
	code: string;
	name: string;
	unit: string | null;
	/** Null where none are defined, as for metals; options leave these out. */
	decimals: number | null;
}

export interface FileKind {
	label: string;
	/** It begins like one of these; where that is a list, like all parts of it. */
	begins: Array<Beginning | Beginning[]>;
	endings: string[];
}

export interface Beginning {
	at: number;
	hex: string;
}

/** A series of states: their order (equal ones in one list), and which are final. */
export interface Series {
	order: Array<string | string[]>;
	final: string[];
}

/** The first row that fits counts; what fits none proves nothing. */
export interface Proofs {
	/** The members of a body that hold the error's text and its code, and those that only a success has. */
	error: string;
	code: string;
	made: string[];
	patterns: Record<string, string>;
	rows: Array<{
		status: number[] | string;
		limiter?: boolean;
		code?: string;
		says?: string[];
		told: 'not_sent' | 'refused';
		proof: 'described' | 'assumed';
	}>;
}

export interface Pack {
	lang: string;
	quelle: string;
	marker: { place: string; name?: string; value?: string };
	messages: Record<string, string>;
	formats: Record<string, Format>;
	tables: {
		currencies: Currency[];
		/** `pattern` is that of what stands behind country and check digits. */
		iban: Record<string, { length: number; pattern: string }>;
		countries: string[];
	};
	/** What known values are called, by set and value. */
	words: Record<string, Record<string, string>>;
	file_kinds: Record<string, FileKind>;
	/** Where the accounting provider's own answer stands, and its words. */
	provider: Record<'in' | 'status', string> &
		Record<'messages' | 'type' | 'text' | 'about' | 'failed' | 'usual', string[]>;
	/** What an answer to a write proves that is no success. */
	proofs: Proofs;
	states: Record<string, Series>;
	events: Record<string, ServiceEvent>;
	/** The actions that the core itself needs, by what it needs them for. */
	roles: Record<string, string>;
	actions: Record<string, Manifest>;
	lookups: Record<string, Manifest>;
	triggers: Record<string, Manifest>;
}
