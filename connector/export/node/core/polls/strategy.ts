/** What every poll strategy offers. It is pure: a page and a cursor give items and the next cursor. */

import type { Page, PageResult } from '../manifest/code.ts';
import type { Inputs, Pack } from '../manifest/pack.ts';
import type { Row } from '../values/value_kinds.ts';

/** All that a strategy may know. */
export interface StrategyContext {
	inputs: Inputs;
	/** Undefined before the first poll. */
	cursor: string | undefined;
	/** `now`, `all` or `since:ID`. */
	start: string;
	/** Milliseconds since 1970. */
	now: number;
	pack: Pack;
	sha256: (text: string) => string;
}

export interface Strategy<Spec> {
	/** Whether the list is read page by page, by the numbers of its ids. */
	byNumber: boolean;
	/** Whether a flow that starts now passes over all that is there already. */
	skipsHistory?: boolean;
	/** What it adds to the inputs of the request. */
	asks(spec: Spec, context: StrategyContext): Inputs;
	/** Raises `NoCursor` when the cursor is none of its own. */
	turn(spec: Spec, page: Page, context: StrategyContext): PageResult;
	/** Those that a cursor knows of, where each of several is asked for. */
	known?(spec: Spec, context: StrategyContext): string[];
	/** All that would fire, newest first, for platforms that keep only its ids; absent where only a host can do it. */
	stateless?(spec: Spec, rows: Row[], context: StrategyContext): Row[];
	/** What such a platform adds to the inputs of its request. */
	statelessAsks?(spec: Spec, context: StrategyContext): Inputs;
}

export function asksNothing(): Inputs {
	return {};
}
