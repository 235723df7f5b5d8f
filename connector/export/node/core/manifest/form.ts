/** generated: `make handlers` writes it anew. What the core takes from manifests as they are written. */

export interface AlarmSpec {
	id: Template;
	below?: Below;
	within?: Within;
	when?: Condition;
	clear?: Condition;
	key?: Template;
	each?: Each;
}

export interface At {
	at: string | string[];
	compact?: boolean;
}

export interface Beginning {
	at: number;
	hex: string;
}

export interface Below {
	of: string[];
	input: string;
	as: string;
}

export interface ById {
	after: string;
	wait?: Wait;
	skip?: Skip;
	late?: Late;
	look_back?: Reread;
	recent?: Recent;
}

export type Condition =
	| Record<string, string | boolean | number | Array<string | boolean | number>>
	| Array<Record<string, string | boolean | number | Array<string | boolean | number>>>;

/** What is watched one by one where no input names one: input, lookup that lists all, and their field. */
export interface Each {
	input: string;
	from: string;
	as: string;
	how: string;
}

export interface Entries {
	as: string;
	named: string[];
	having: string;
}

/** How the answer is wrapped: under a key, or `body`. */
export interface Envelope {
	in: string;
	assumed?: boolean;
	/** what a successful answer to a write names of what was made; one with none of it proves nothing */
	names?: string[];
	/** the inputs that it shows as they were sent; one that shows another is about another write */
	shows?: string[];
}

/** The service's events that start it, what their data must say, and where filters are compared. */
export interface EventSpec {
	names: string[];
	when?: Condition;
	confirm?: 'payment';
	filters?: Record<string, string | string[] | At | NamesOf | ValuesOf>;
}

export interface FileKind {
	label: string;
	begins: Array<Beginning[]>;
	endings: string[];
}

export interface First {
	first: Condition;
}

export interface Format {
	tidy?: Array<'compact' | 'plain' | 'upper'>;
	pattern?: string;
	message?: string;
	check?: 'iban' | 'bic' | 'vat_id' | 'currency' | 'api_path' | 'public_https_url';
}

/** Where those inputs go that do not say it themselves. */
export interface InputsPlace {
	in: 'path' | 'query' | 'body' | 'whole_body' | 'beside_query' | 'beside_body' | 'none';
	wire?: string;
}

export interface Late {
	came: string;
	made: string;
	as: string;
	days: number;
}

export interface Longer {
	when: Condition;
	days: number;
}

export interface NamesOf {
	/** Names joined by dots; [] behind a name means each item of that list. */
	names_of: string;
}

/** How the rows of an answer, of a table or of years become options. */
export interface OptionsSpec {
	/** path or alternatives (`id\|code`); an item without one is left out */
	value: string;
	label: Template;
	hint?: Template;
	/** a plain text in the list is an object with it under that name */
	wrap?: string;
	/** items of the same value are one; of each field the first that is not empty */
	distinct?: boolean;
	/**
	 * a list of keys: `{first: {status: connected}}` (those that meet the condition first), or a path, `label`,
	 * `value`: as text in lower case, empty ones last. Without it the service's order
	 */
	sort?: Array<string | First>;
	/** the rows are a table of Kontor (`currencies`: code, name, unit) or a list written here; no request */
	table?: 'currencies' | Array<Record<string, unknown>>;
	/** the rows are calendar years relative to today (Berlin), in that order: `year`, `start`, `end`; no request */
	years?: Years;
}

/** Where one input decides the path. */
export interface Paths {
	by: string;
	choose: Record<string, string>;
}

export interface Picked {
	input: string;
	by: string;
	with?: string[];
}

/** One strategy; shared where flows on one group share a paid list. */
export interface Poll {
	by_id?: ById;
	progress?: Progress;
	watch?: Watch;
	seen?: Seen;
	alarm?: AlarmSpec;
	code?: true;
	shared?: Shared;
}

export interface Progress {
	after: string;
	field: string;
	states: string;
	previous: string;
	only?: string;
	recent?: Recent;
}

export interface Proof {
	status: number[] | string;
	told: 'not_sent' | 'refused';
	proof: 'described' | 'assumed';
	sentence: string;
	limiter?: boolean;
	code?: string;
	says?: string[];
}

/** What an answer to a write proves. The first row that fits counts; what fits none proves nothing. */
export interface Proofs {
	error: string;
	code: string;
	made: string[];
	parts: Record<string, string>;
	patterns: Record<string, string>;
	rows: Proof[];
}

/** Where the accounting provider's own answer stands, and its words. */
export interface Provider {
	in: string;
	status: string;
	messages: string[];
	type: string[];
	text: string[];
	about: string[];
	failed: string[];
	usual: string[];
}

/** The list in which a write can be found again, and the marks in it by which it is known. */
export interface ReadBack {
	action: string;
	key_field: string;
	key_name: string;
	digest_name: string;
	/** The action that reads one of its rows. */
	one?: string;
	/** The field of a row that says when it was made. */
	made?: string;
	/** The input of the list that leaves out earlier days. */
	since?: string;
	/** The input of the list that bounds how many rows it shows. */
	most?: string;
	/** The inputs that a row shows as they were sent. */
	shows?: string[];
}

/** The field that says when a row came in, and the input that reads from a day on. */
export interface Recent {
	came: string;
	since: string;
}

export interface Request {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	path?: string;
	paths?: Paths;
	query?: Record<string, string>;
	/** False where the service takes no label of the calling source. */
	quelle?: boolean;
	answer?: Envelope;
	inputs?: InputsPlace;
}

export interface Reread {
	days: number;
	since: string;
}

export interface Seen {
	/** Names joined by dots; [] behind a name means each item of that list. */
	order: string;
}

/** A series of states: their order (equal ones in one list), and which are final. */
export interface Series {
	order: Array<string | string[]>;
	final: string[];
	succeeded?: string[];
	needs_person?: string[];
}

/** What becomes of an answer that is not simply the list or the object. */
export interface Shape {
	/**
	 * the first of these keys in the object, or the bare text; null when the text is empty or the object is; no
	 * such key: `bad_reply`
	 */
	first_of?: string[];
	as?: string;
	/** what cannot be read, and a `first_of` that is null, becomes `{answer: …}` instead of an error */
	else_answer?: boolean;
	/**
	 * `{items}`: one row for each entry of an object (its key as `area`, entries without `having` left out) or of
	 * a list (named by the first of `named`, else numbered from 1)
	 */
	entries?: Entries;
	/** `{items}`: a plain text in the list becomes an object with it under that name */
	wrap?: string;
	/**
	 * the first item of the list whose field `by` is the input's value, and these other inputs with it, each of
	 * which must be in the list of its own dropdown if it has one (a list that cannot be read gives a warning);
	 * none: `not_found` (`pick_absent`). Where the list that filled the input's dropdown is still cached, nothing
	 * is asked; otherwise a warning says what asking cost. Packages without Kontor's core leave such an action out
	 */
	pick?: Picked;
	/** the object, and beside it these keys of the envelope */
	keep?: string[];
}

export interface Shared {
	group: string;
	part: string;
	since: string;
}

export interface Skip {
	when: Condition;
	unless?: string;
}

export type Template =
	| string
	| string[];

export interface ValuesOf {
	/** Names joined by dots; [] behind a name means each item of that list. */
	values_of: string;
	named?: string;
}

export interface Wait {
	came: string;
	made: string;
	when: Condition;
	days: number;
	unless?: string;
}

export interface Watch {
	came: string;
	made: string;
	after: string;
	since: string;
	days: string;
	longer: Longer;
	change: string;
	fields: Record<string, WatchedField>;
}

export interface WatchedField {
	short?: Record<string, string>;
	tell?: Record<string, string>;
	mark?: string;
}

export interface Within {
	/** Names joined by dots; [] behind a name means each item of that list. */
	date: string;
	input: string;
	as: string;
}

export interface Years {
	from: number;
	to: number;
}
