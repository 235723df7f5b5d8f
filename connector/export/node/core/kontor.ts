/** All that an adapter needs: runs actions, fills dropdowns, polls and receives events, as the pack declares them. */

import type { Code, Inputs, Memory, Option, Outgoing, Pack, Page, Platform, Row, Turned } from './types.ts';

export interface Checked {
	inputs: Inputs;
	warnings: string[];
}

export interface Ran {
	/** With exact numbers; `plain` of `json.ts` makes what a platform can hold. */
	output: Row;
	warnings: string[];
}

export interface Polled extends Turned {
	/** The list was cut off: asking again at once may bring more. */
	more: boolean;
}

export interface Received {
	/** What to answer the service with. */
	status: 200 | 400 | 503;
	items: Row[];
}

/** Everything raises `Problem` (`messages.ts`). Inputs are raw wherever they go in. */
export interface KontorApi {
	/** Everything up to the request, for an action, a lookup or a trigger. Sends nothing. */
	check(id: string, raw: Row): Checked;
	/** The request to the letter, but for the API key. Sends nothing. */
	prepare(id: string, raw: Row): Outgoing;
	run(id: string, raw: Row): Promise<Ran>;
	options(id: string, raw: Row): Promise<Option[]>;
	/** What a poll adds to the inputs of its request. Pure. */
	asks(id: string, raw: Row, cursor: string | undefined, start: string, now: number): Inputs;
	/** What becomes of a page. Pure. */
	turn(id: string, raw: Row, page: Page, cursor: string | undefined, start: string, now: number): Polled;
	/** One poll: one page, but all of history when a flow starts now. */
	poll(id: string, raw: Row, cursor: string | undefined, start: string): Promise<Polled>;
	/** Whether a platform that keeps no cursor can poll the trigger. */
	form(id: string): 'stateless' | 'host';
	/** All that would fire, newest first, for a platform that keeps the ids of what fired. */
	pollStateless(id: string, raw: Row): Promise<Row[]>;
	fires(id: string, event: string, data: Row, raw: Row): boolean;
	/** An event of the service, confirmed by the API and told once. */
	receive(id: string, raw: Row, envelope: string, memory: Memory): Promise<Received>;
	currentWebhookUrl(): Promise<string | null>;
	/** Sets the URL past the check of the form; an empty text removes it. */
	putWebhookUrl(url: string): Promise<void>;
}

export declare const Kontor: new (pack: Pack, platform: Platform, code?: Code) => KontorApi;
