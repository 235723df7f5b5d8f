/** The pack: what Python makes of the manifests, in one language and with the names on the wire filled in. */

import type { Row } from '../values/value_kinds.ts';
import type { Currency } from '../values/written_numbers.ts';
import type {
	EventSpec,
	FileKind,
	Format,
	OptionsSpec,
	Poll,
	Proof,
	Proofs,
	Provider,
	ReadBack,
	Request,
	Series,
	Shape,
} from './form.ts';

/** Inputs that were checked: texts, truth values, exact numbers, and lists and objects of these. */
export type Inputs = Record<string, unknown>;

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

export interface Rule {
	words?: Record<string, string>;
	warn?: boolean;
	[rule: string]: unknown;
}

export interface Throttle {
	least: number;
	/** The ceiling of paid looks in 24 hours. */
	most?: number;
	/** Free signs: which inputs name the bank connection and the account, and how long they may be silent. */
	signs?: { group: string; part: string; quiet: number };
}

export interface Manifest {
	kind: string;
	id: string;
	title: string;
	inputs: Field[];
	request?: Request;
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
	/** It takes one item out of a list, at this cost; `listed`: the inputs that go along, and what lists them. */
	picks?: { credits: number; listed?: Record<string, { lookup: string; with: Row }> };
	/** `columns` are the fields by which a person knows the output. */
	output?: { list?: boolean; shape?: Shape; columns?: Column[] };
	options?: OptionsSpec;
	source?: 'poll' | 'event';
	/** How rarely a paid list is read; intervals in seconds. */
	throttle?: Throttle;
	poll?: Poll;
	event?: EventSpec;
}

/** A field of an output, and what its known values are called. */
export interface Column {
	name: string;
	words?: Record<string, string>;
}

export interface ServiceEvent {
	about?: string;
	/** The field of its data that names the thing. */
	id?: string;
	/** It tells that the thing is gone. */
	gone?: boolean;
	/** It tells that the thing shows an error, or another status than this one. */
	well?: string;
	/** Only a host may tell it. */
	own?: boolean;
	/** The fields of its data that the API shows of the thing itself, and of each account. */
	shown?: string[];
	accounts?: string[];
	/** The words that are described for fields of its data. */
	words?: Record<string, string[]>;
	/** The paths of what only the event itself says, and no answer of the API shows. */
	claims?: string[];
	/** The states that are announced under this event rather than under the usual one. */
	states?: string[];
}

export interface Pack {
	lang: string;
	quelle: string;
	marker: { place: string; name?: string; value?: string };
	/** By field, the names of the marks by which writes are found again, which users do not see. */
	marks?: Record<string, string[]>;
	messages: Record<string, string>;
	/** The message of a format is said when pattern or check fail, where the check has none of its own. */
	formats: Record<string, Format & { message: string }>;
	tables: {
		currencies: Currency[];
		/** `pattern` is that of what stands behind country and check digits. */
		iban: Record<string, { length: number; pattern: string }>;
		countries: string[];
	};
	/** What known values are called, by set and value. */
	words: Record<string, Record<string, string>>;
	file_kinds: Record<string, FileKind>;
	provider: Provider;
	/** Without the sentences behind the rows, which only people read. */
	proofs: Omit<Proofs, 'parts' | 'rows'> & { rows: Array<Omit<Proof, 'sentence'>> };
	states: Record<string, Series>;
	events: Record<string, ServiceEvent>;
	/** The actions that the core itself needs, by what it needs them for. */
	roles: Record<string, string>;
	actions: Record<string, Manifest>;
	lookups: Record<string, Manifest>;
	triggers: Record<string, Manifest>;
}
