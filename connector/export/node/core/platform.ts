/** What a platform gives the core: requests, the time, digests, and where writes are remembered. */

import type { Details } from './messages.ts';

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

/** A write that was begun. */
export interface RememberedWrite {
	key: string;
	digest: string;
	/**
	 * `sending` from right before it leaves, `unknown` once its answer was lost, `done` when its result is known,
	 * `limited` when the rate limiter turned it away, `refused` when the service said no without proof.
	 */
	state: 'sending' | 'unknown' | 'done' | 'limited' | 'refused';
	/** Milliseconds since 1970. */
	at: number;
	/** When it was begun: its inputs are read as on that day, however late it is repeated. Older packages kept none. */
	begun?: number;
	output?: unknown;
	/** What was noticed when it was done. */
	warnings?: string[];
	/** How many requests of it may have reached the service. */
	sendings?: number;
	/** What was told of it when it was refused. */
	refusal?: Details & { message: string };
}

/** Keeps values by name. What fails throws. */
export interface State {
	get(name: string): Promise<RememberedWrite | undefined>;
	/** Undefined forgets it. */
	set(name: string, write: RememberedWrite | undefined): Promise<void>;
	/** Keeps it unless another than `seen` is kept there by now; whether it did. Two at once cannot both. */
	claim(name: string, write: RememberedWrite, seen: RememberedWrite | undefined): Promise<boolean>;
}
