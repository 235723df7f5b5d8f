/** As much of Zapier's own objects as the adapter uses. */

import type { Row } from '../../node/core/values/value_kinds.ts';

export interface Bundle {
	authData: Record<string, string | undefined>;
	inputData: Row;
	/** The address that Zapier made for a Zap whose trigger is a webhook. */
	targetUrl?: string;
	/** What subscribing gave. */
	subscribeData?: Row;
	/** What came in at that address, as text and parsed. */
	rawRequest?: { headers?: unknown; content?: unknown };
	cleanedRequest?: unknown;
	/** What the step gave before it waited to be called back. */
	outputData?: unknown;
	/**
	 * The zone is that of the account or the Zap, the page that of a dropdown. Zapier asks for a sample in the editor,
	 * and first for all that is there already, which starts nothing.
	 */
	meta?: {
		zap?: { id?: unknown };
		timezone?: unknown;
		page?: number;
		isLoadingSample?: boolean;
		isPopulatingDedupe?: boolean;
	};
}

export interface ZapierResponse {
	status: number;
	/** Names are in lower case. */
	headers: Iterable<[name: string, value: string]>;
	content: string;
	arrayBuffer(): Promise<ArrayBuffer>;
}

export interface Z {
	request(request: Row): Promise<ZapierResponse>;
	hash(algorithm: string, data: string | Uint8Array, output: string, input: string): string;
	/** Kept for a number of seconds, and here for one connected account. */
	cache: {
		get(key: string, scope: string[]): Promise<unknown>;
		/** `absent`: only where nothing is kept; false or null where something was. */
		set(key: string, value: unknown, seconds: number, scope: string[], absent?: boolean): Promise<unknown>;
		delete(key: string, scope: string[]): Promise<unknown>;
	};
	/** Where a page of a dropdown has ended, for whoever asks for the next one; a text, null before the first. */
	cursor: { get(): Promise<string | null>; set(cursor: string): Promise<unknown> };
	generateCallbackUrl(): string;
	console: { log(text: string): void };
	errors: {
		Error: new (message: string, code?: string, status?: number) => Error;
		ExpiredAuthError: new (message: string) => Error;
		ThrottledError: new (message: string, seconds: number) => Error;
	};
}

/** What one function of the app does, as `kontor-app.json` says it in the function's place. */
export interface Step {
	does: string;
	id: string;
	/** A search, for one thing or for many. */
	finds?: 'one' | 'many';
	/** A dropdown: inputs that its use fixes, and the fields of the form that others come from. */
	fixed?: Row;
	taken?: Record<string, string>;
	/** A template that names the owner of an account. */
	label?: string;
	/** It takes longer than Zapier waits: a host may call back. */
	slow?: boolean;
}

export type Steps = Record<string, (z: Z, bundle: Bundle, step: Step) => Promise<unknown>>;
