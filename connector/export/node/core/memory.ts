/** What is remembered of one write: under its key, and under its digest, where equal ones find it. */

import type { Kept, State } from './state.ts';
import { BY_DIGEST, BY_KEY } from './state.ts';

/** States of a write that has left or may have: under its key it is only looked up, never sent. */
const SENT: Array<Kept['state']> = ['sending', 'unknown', 'done'];

/** When the write under a key was begun, if it may have left. */
export async function sentAt(state: State | undefined, key: string): Promise<number | undefined> {
	const kept = await state?.get(BY_KEY + key).catch(() => undefined);
	return kept && SENT.includes(kept.state) ? (kept.begun ?? kept.at) : undefined;
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
		if (byKey === undefined) return true;
		// Each sending has a claim of its own, so that of two at once only one is the next.
		const { sendings = 1 } = kept;
		if (sendings === 1) return await state.claim(byKey, kept, undefined);
		const isOurs = await state.claim(`${byKey}#${sendings}`, kept, undefined);
		if (isOurs) await state.set(byKey, kept);
		return isOurs;
	}

	async keep(kept: Kept | undefined): Promise<void> {
		const { byKey } = this;
		const later = kept ? [] : [2, 3].map((sending) => `${byKey}#${sending}`);
		const names = byKey === undefined ? [this.byDigest] : [this.byDigest, byKey, ...later];
		await Promise.all(names.map((name) => this.state?.set(name, kept)));
	}
}
