import type { IDataObject } from 'n8n-workflow';

/** One input, as the tables describe it. */
export interface Field {
	name: string;
	type: string;
	/** As the form shows it; only a lookup's fields have one. */
	label?: string;
	required?: boolean;
	listRequired?: boolean;
	default?: string | number | boolean;
	format?: string;
	values?: string[];
	open?: boolean;
	internal?: boolean;
	aliases?: string[];
	min?: number;
	max?: number;
	maxLength?: number;
	currencyField?: string;
	fields?: Field[];
	/** The form shows it only on demand. */
	additional?: boolean;
	/** Where it goes in the request, and under which name. */
	place?: string;
	as?: string;
	/** The assumption that its name rests on. */
	wire?: string;
}

export interface Manifest {
	id: string;
	fields: Field[];
	timeout?: number;
	method?: string;
	path?: string;
	by?: string;
	paths?: Record<string, string>;
	query?: Record<string, string>;
	/** The call says who is calling. */
	ledger?: boolean;
	messages?: Record<string, string>;
}

export interface Action extends Manifest {
	list: boolean;
	writes: boolean;
}

export interface Lookup extends Manifest {
	option?: { value: string; label: string; hint: string };
}

export interface Trigger extends Manifest {
	list: boolean;
	/** The events that can start it; empty for all. A polled trigger has none of this. */
	events?: string[];
}

/** How a form uses a lookup: where the lookup's own inputs come from. */
export interface DropdownUse {
	lookup: string;
	inputs: Record<string, { from?: string; value?: string | boolean }>;
}

/** How a call says that it only fills a dropdown. */
export interface Marker {
	place: string;
	key: string;
	value: string;
}

export type Row = Record<string, unknown>;

/** Inputs that were checked: texts, truth values, exact numbers, lists and objects of these. */
export type Inputs = Record<string, unknown>;

export interface Option {
	value: string;
	label: string;
	hint?: string;
}

export interface OwnRequest {
	method: string;
	path: string;
	query: Record<string, unknown>;
	body?: unknown;
	ledger: boolean;
}

export interface ActionHandler {
	check?: (inputs: Inputs) => void;
	request?: (inputs: Inputs) => OwnRequest;
	shape?: (reply: unknown) => Row;
}

export interface LookupHandler {
	options: (items: unknown[]) => Option[];
}

export interface Turned {
	rows: Row[];
	cursor: string;
}

/** What a trigger makes of an answer: the rows to fire, and where the next poll begins. */
export interface TriggerHandler {
	check?: (inputs: Inputs) => void;
	ask?: (inputs: Inputs, cursor: string | undefined, now: Date) => Inputs;
	turn?: (items: Row[], cursor: string | undefined, inputs: Inputs, now: Date, start: string) => Turned;
	more?: (items: Row[]) => boolean;
	fires?: (event: string, data: Row, inputs: Inputs) => boolean;
}

export type Rows = IDataObject[];
