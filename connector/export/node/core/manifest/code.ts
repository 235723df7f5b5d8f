/** The code that stands beside manifests (`x.ts` beside `x.py`), for what they cannot declare. */

import type { Row } from '../values/value_kinds.ts';
import type { Inputs } from './pack.ts';

/** A page of a list. */
export interface Page {
	rows: Row[];
	cut: boolean;
	/** The id behind which it begins, where its reader decides that, and not the place in the cursor. */
	behind?: bigint;
}

/** What a strategy makes of a page: the items to fire, and the next cursor. */
export interface PageResult {
	items: Row[];
	cursor: string;
	/** The page ended before rows that are known to be there. */
	more?: boolean;
	/** It showed rows that were not seen before: only a page without any is surely the last. */
	fresh?: boolean;
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
	turn(page: Page, cursor: string | undefined, inputs: Inputs, now: number, start: string): PageResult;
}

export interface Code {
	actions?: Record<string, ActionCode>;
	triggers?: Record<string, TriggerCode>;
}
