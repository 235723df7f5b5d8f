/** What is remembered of a Zap's last paid poll, in Zapier's cache for the connected account. */

import type { LastPoll } from '../../node/core/poller/poll_throttle.ts';
import { writeJson } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import type { Bundle, Z } from './zapier.ts';

/** Longer than signs may be silent. */
const SECONDS = 48 * 60 * 60;
const SCOPE = ['auth'];

export interface LastPollCache {
	get(): Promise<LastPoll | undefined>;
	set(lastPoll: LastPoll | undefined): Promise<void>;
}

/** Undefined where Zapier has to see everything: for a sample, and before it has noted what is there already. */
export function lastPollCache(z: Z, { meta = {} }: Bundle, id: string, raw: Row): LastPollCache | undefined {
	const zap = meta.zap?.id;
	if (zap === undefined || zap === null || meta.isLoadingSample || meta.isPopulatingDedupe) return undefined;
	const name = `kontor-look-${z.hash('sha256', writeJson([String(zap), id, raw]), 'hex', 'utf8')}`;
	return {
		get: async () => ((await z.cache.get(name, SCOPE)) as LastPoll | null | undefined) ?? undefined,
		set: async (lastPoll) => {
			if (lastPoll) await z.cache.set(name, lastPoll, SECONDS, SCOPE);
			else await z.cache.delete(name, SCOPE);
		},
	};
}
