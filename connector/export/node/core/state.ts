/** What is remembered of writes, so that a platform's own retry does not send one again. */

import type { Details } from './messages.ts';

/** How the names begin under which a write is kept: by its key, and by what it means. */
export const BY_KEY = 'key:';
export const BY_DIGEST = 'digest:';

/** A write that was begun. */
export interface Kept {
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
	/** How many requests of it may have reached the service. */
	sendings?: number;
	/** What was told of it when it was refused. */
	refusal?: Details & { message: string };
}

/** Keeps values by name. What fails throws. */
export interface State {
	get(name: string): Promise<Kept | undefined>;
	/** Undefined forgets it. */
	set(name: string, kept: Kept | undefined): Promise<void>;
	/** Keeps it unless another than `seen` is kept there by now; whether it did. Two at once cannot both. */
	claim(name: string, kept: Kept, seen: Kept | undefined): Promise<boolean>;
}

/** In this process, for as long as it runs: the newest ones. */
export class ProcessState implements State {
	private readonly kept = new Map<string, Kept>();
	private readonly most: number;

	constructor(most = 1000) {
		this.most = most;
	}

	async get(name: string): Promise<Kept | undefined> {
		return this.kept.get(name);
	}

	async claim(name: string, kept: Kept, seen: Kept | undefined): Promise<boolean> {
		const found = this.kept.get(name);
		if (found && found.key !== seen?.key) return false;
		await this.set(name, kept);
		return true;
	}

	async set(name: string, kept: Kept | undefined): Promise<void> {
		this.kept.delete(name);
		if (kept) this.kept.set(name, kept);
		const [oldest] = this.kept.keys();
		if (this.kept.size > this.most && oldest !== undefined) this.kept.delete(oldest);
	}
}
