/** What a node keeps in Node-RED's context: in memory, or, where the settings name one, in a store that outlives it. */

import type { Kept } from '../../node/adapter/write_memory.ts';
import type { RememberedWrite } from '../../node/core/platform.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isObject } from '../../node/core/values/value_kinds.ts';
import type { Red, RedNode } from './red.ts';

const WRITES = 'kontorWrites';
const MAX_WRITES = 200;
const MEMORY = 'memory';

export async function getKept(node: RedNode, store: string | undefined, key: string): Promise<unknown> {
	return await new Promise((resolve, reject) => {
		node.context().get(key, store, (error, value) => (error ? reject(asError(error)) : resolve(value)));
	});
}

export async function setKept(node: RedNode, store: string | undefined, key: string, value: unknown): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		node.context().set(key, value, store, (error) => (error ? reject(asError(error)) : resolve()));
	});
}

/** Whether what is kept there is still there when Node-RED has started again. */
export function isLasting({ settings }: Red, store = 'default'): boolean {
	const stores = settings.contextStorage ?? {};
	const named = stores[store];
	const config = typeof named === 'string' ? stores[named] : named;
	const module = isObject(config) ? config.module : undefined;
	return module !== undefined && module !== MEMORY;
}

/** The newest writes of an account, all under one key. One change waits for the one before. */
export function keptWrites(node: RedNode, store: string | undefined): Kept {
	let known: Promise<Record<string, RememberedWrite>> | undefined;
	let last: Promise<void> = Promise.resolve();
	const writes = async (): Promise<Record<string, RememberedWrite>> => {
		known ??= getKept(node, store, WRITES).then((found) => ({ ...(isObject(found) ? found : {}) }) as never);
		known.catch(() => (known = undefined));
		return await known;
	};
	return {
		get: async (name) => (await writes())[name],
		async set(name, write) {
			const change = async (): Promise<void> => {
				const { [name]: _, ...others } = await writes();
				const changed = Object.entries(write ? { ...others, [name]: write } : others).slice(-MAX_WRITES);
				known = Promise.resolve(Object.fromEntries(changed));
				await setKept(node, store, WRITES, Object.fromEntries(changed) satisfies Row);
			};
			const changed = last.then(change);
			last = changed.catch(() => undefined);
			await changed;
		},
	};
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
