/**
 * Writes in the store of the project. It forgets nothing by itself, so there is a fixed number of entries: each holds the
 * newest writes of those whose names come to it.
 */

import { sha256 } from '../../node/adapter/access.ts';
import type { Kept } from '../../node/adapter/write_memory.ts';
import type { RememberedWrite } from '../../node/core/platform.ts';
import { isObject } from '../../node/core/values/value_kinds.ts';
import type { Store } from './framework.ts';

const PROJECT = 'COLLECTION';
/** As many entries as two hexadecimal digits tell apart. */
const DIGITS = 2;
const MAX_WRITES = 20;

type Writes = Record<string, RememberedWrite>;

export function keptWrites(store: Store): Kept {
	const entry = (name: string): string => `kontor-writes-${sha256(name).slice(0, DIGITS)}`;
	const writesIn = async (key: string): Promise<Writes> => {
		const writes = await store.get(key, PROJECT);
		return isObject(writes) ? (writes as Writes) : {};
	};
	return {
		get: async (name) => (await writesIn(entry(name)))[name],
		async set(name, write) {
			const { [name]: _, ...others } = await writesIn(entry(name));
			const changed = Object.entries(write ? { ...others, [name]: write } : others).slice(-MAX_WRITES);
			await store.put(entry(name), Object.fromEntries(changed), PROJECT);
		},
	};
}
