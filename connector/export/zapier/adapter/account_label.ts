/** What a connected account is called in Zapier: whose it is, and how many bank accounts it reaches. */

import type { Say } from '../../node/core/messages.ts';

export function accountLabel(say: Say, owner: string, count: number): string {
	const reaches = count === 1 ? say('zapier_one_account') : say('zapier_accounts', { count });
	return `${owner} (${reaches})`;
}
