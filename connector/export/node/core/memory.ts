/** What is remembered of one write: under its key, and under its digest, where equal ones find it. */

import type { Kept, State } from './state.ts';
import { BY_DIGEST, BY_KEY } from './state.ts';

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
	async own(): Promise<Kept | undefined> {
		return this.byKey === undefined ? undefined : await this.state?.get(this.byKey);
	}

	/** The last one with this digest. */
	async equal(): Promise<Kept | undefined> {
		return await this.state?.get(this.byDigest);
	}

	/**
	 * Whether this one may send: of two at once under one key, or where equal ones are held back (`alone`), only one is
	 * told so. `seen` is an equal one that does not count any more.
	 */
	async begins(kept: Kept, alone: boolean, seen: Kept | undefined): Promise<boolean> {
		const { state, byKey, byDigest } = this;
		if (!state) return true;
		if (!alone) await state.set(byDigest, kept);
		else if (!(await state.claim(byDigest, kept, seen))) return false;
		return byKey === undefined || (await state.claim(byKey, kept, undefined));
	}

	async keep(kept: Kept | undefined): Promise<void> {
		const names = this.byKey === undefined ? [this.byDigest] : [this.byDigest, this.byKey];
		await Promise.all(names.map((name) => this.state?.set(name, kept)));
	}
}
