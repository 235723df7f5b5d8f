/** What the pack says of events: which fire a trigger, and what the API is asked about them. */

import type { Condition } from './types.ts';

export type Filter =
	| string
	| string[]
	| { at: string | string[]; compact?: boolean }
	| { names_of: string }
	| { values_of: string; named?: string };

export interface EventSpec {
	names?: string[];
	when?: Condition;
	confirm?: string;
	filters?: Record<string, Filter>;
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
	/** The states that are announced under this event rather than under the usual one. */
	states?: string[];
}
