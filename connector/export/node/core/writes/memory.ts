/** What is remembered of writes, so that a platform's own retry does not send one again. */

import type { RememberedWrite, State } from '../platform.ts';

/** How the names begin under which a write is kept: by its key, and by what it means. */
export const BY_KEY = 'key:';
export const BY_DIGEST = 'digest:';

/** In this process, for as long as it runs: the newest ones. */
export class ProcessState implements State {
	private readonly writes = new Map<string, RememberedWrite>();
	private readonly most: number;

	constructor(most = 1000) {
		this.most = most;
	}

	async get(name: string): Promise<RememberedWrite | undefined> {
		return this.writes.get(name);
	}

	async claim(name: string, write: RememberedWrite, seen: RememberedWrite | undefined): Promise<boolean> {
		const other = this.writes.get(name);
		if (other && other.key !== seen?.key) return false;
		await this.set(name, write);
		return true;
	}

	async set(name: string, write: RememberedWrite | undefined): Promise<void> {
		this.writes.delete(name);
		if (write) this.writes.set(name, write);
		const [oldest] = this.writes.keys();
		if (this.writes.size > this.most && oldest !== undefined) this.writes.delete(oldest);
	}
}

/** States of a write that has left or may have: under its key it is only looked up, never sent. */
const SENT: Array<RememberedWrite['state']> = ['sending', 'unknown', 'done'];

/** When the write under a key was begun, if it may have left. */
export async function sentAt(state: State | undefined, key: string): Promise<number | undefined> {
	const write = await state?.get(BY_KEY + key).catch(() => undefined);
	return write && SENT.includes(write.state) ? (write.begun ?? write.at) : undefined;
}

export class WriteMemory {
	private readonly state: State | undefined;
	/** A key that was made here is known to nobody who could come back with it: nothing is kept under it. */
	private readonly byKey: string | undefined;
	private readonly byDigest: string;

	constructor(state: State | undefined, digest: string, key: string | undefined) {
		this.state = state;
		this.byKey = key === undefined ? undefined : BY_KEY + key;
		this.byDigest = BY_DIGEST + digest;
	}

	/** What was begun under this key. */
	async own(): Promise<RememberedWrite | undefined> {
		return this.byKey === undefined ? undefined : await this.state?.get(this.byKey);
	}

	/** The last one with this digest. */
	async equal(): Promise<RememberedWrite | undefined> {
		return await this.state?.get(this.byDigest);
	}

	/**
	 * Whether this one may send: of two at once under one key, or where equal ones are held back (`alone`), only one is
	 * told so. `seen` is an equal one that does not count any more.
	 */
	async begins(write: RememberedWrite, alone: boolean, seen: RememberedWrite | undefined): Promise<boolean> {
		const { state, byKey, byDigest } = this;
		if (!state) return true;
		if (!alone) await state.set(byDigest, write);
		else if (!(await state.claim(byDigest, write, seen))) return false;
		if (byKey === undefined) return true;
		// Each sending has a claim of its own, so that of two at once only one is the next.
		const { sendings = 1 } = write;
		if (sendings === 1) return await state.claim(byKey, write, undefined);
		const isOurs = await state.claim(`${byKey}#${sendings}`, write, undefined);
		if (isOurs) await state.set(byKey, write);
		return isOurs;
	}

	async keep(write: RememberedWrite | undefined): Promise<void> {
		const { byKey } = this;
		const later = write ? [] : [2, 3].map((sending) => `${byKey}#${sending}`);
		const names = byKey === undefined ? [this.byDigest] : [this.byDigest, byKey, ...later];
		await Promise.all(names.map((name) => this.state?.set(name, write)));
	}
}
