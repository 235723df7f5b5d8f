/** What is remembered of a Zap's last paid poll, in Zapier's cache for the connected account. */

import { writeJson } from '../../node/core/json.ts';
import type { Looked, Row } from '../../node/core/types.ts';
import type { Bundle, Z } from './zapier.ts';

/** Longer than signs may be silent. */
const SECONDS = 48 * 60 * 60;
const SCOPE = ['auth'];

export interface Looks {
	last(): Promise<Looked | undefined>;
	keep(looked: Looked | undefined): Promise<void>;
}

/** Undefined where Zapier has to see everything: for a sample, and before it has noted what is there already. */
export function looksOf(z: Z, { meta = {} }: Bundle, id: string, raw: Row): Looks | undefined {
	const zap = meta.zap?.id;
	if (zap === undefined || zap === null || meta.isLoadingSample || meta.isPopulatingDedupe) return undefined;
	const name = `kontor-look-${z.hash('sha256', writeJson([String(zap), id, raw]), 'hex', 'utf8')}`;
	return {
		last: async () => ((await z.cache.get(name, SCOPE)) as Looked | null | undefined) ?? undefined,
		keep: async (looked) => {
			if (looked) await z.cache.set(name, looked, SECONDS, SCOPE);
			else await z.cache.delete(name, SCOPE);
		},
	};
}
