/** What is remembered of writes: in this process, and in Zapier's cache for the connected account. */

import type { RememberedWrite, State } from '../../node/core/platform.ts';
import { RECENT } from '../../node/core/writes/find_payment.ts';
import { BY_DIGEST, ProcessState } from '../../node/core/writes/memory.ts';
import { account } from './send.ts';
import type { Bundle, Z } from './zapier.ts';

const PROCESS = new ProcessState();
/** As long as Zapier replays what has failed, and longer. */
const SECONDS = 24 * 60 * 60;
const SCOPE = ['auth'];

/** What is done stands in nobody's way for longer than equal writes are held back. */
function secondsOf(name: string, { state }: RememberedWrite): number {
	return state === 'done' && name.startsWith(BY_DIGEST) ? RECENT / 1000 : SECONDS;
}

export function stateOf(z: Z, bundle: Bundle): State {
	const digest = (text: string): string => z.hash('sha256', text, 'hex', 'utf8');
	const owner = digest(`${account(bundle, 'base_url')}\n${account(bundle, 'api_key')}`);
	const own = (name: string): string => `${owner}/${name}`;
	const cached = (name: string): string => `kontor-${digest(name)}`;
	return {
		async get(name) {
			const write = (await PROCESS.get(own(name))) ?? (await z.cache.get(cached(name), SCOPE));
			return (write as RememberedWrite | null | undefined) ?? undefined;
		},
		async set(name, write) {
			await PROCESS.set(own(name), write);
			if (write) await z.cache.set(cached(name), write, secondsOf(name, write), SCOPE);
			else await z.cache.delete(cached(name), SCOPE);
		},
		async claim(name, write, seen) {
			if (!(await PROCESS.claim(own(name), write, seen))) return false;
			// Zapier keeps it only where nothing is, which decides between two processes.
			if (await z.cache.set(cached(name), write, secondsOf(name, write), SCOPE, seen === undefined)) return true;
			await PROCESS.set(own(name), undefined);
			return false;
		},
	};
}
