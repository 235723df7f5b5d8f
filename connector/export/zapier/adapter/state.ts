/** What is remembered of writes: in this process, and in Zapier's cache for the connected account. */

import type { Kept, State } from '../../node/core/state.ts';
import { ProcessState } from '../../node/core/state.ts';
import { account } from './send.ts';
import type { Bundle, Z } from './zapier.ts';

const PROCESS = new ProcessState();
/** As long as Zapier replays what has failed, and longer. */
const SECONDS = 24 * 60 * 60;
const SCOPE = ['auth'];

export function stateOf(z: Z, bundle: Bundle): State {
	const digest = (text: string): string => z.hash('sha256', text, 'hex', 'utf8');
	const owner = digest(`${account(bundle, 'base_url')}\n${account(bundle, 'api_key')}`);
	const own = (name: string): string => `${owner}/${name}`;
	const cached = (name: string): string => `kontor-${digest(name)}`;
	return {
		async get(name) {
			const kept = (await PROCESS.get(own(name))) ?? (await z.cache.get(cached(name), SCOPE));
			return (kept as Kept | null | undefined) ?? undefined;
		},
		async set(name, kept) {
			await PROCESS.set(own(name), kept);
			await (kept ? z.cache.set(cached(name), kept, SECONDS, SCOPE) : z.cache.delete(cached(name), SCOPE));
		},
	};
}
