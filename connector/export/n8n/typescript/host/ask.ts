/** Asks the Kontor host with the stored credential. */

import type { Ask } from '../core/host';
import { hostAsker } from '../core/host';
import { PACK } from '../pack';
import type { Context } from './platform';
import { send } from './platform';

export async function askerOf(context: Context): Promise<Ask> {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('kontorApi');
	return hostAsker((request) => send(context, request), PACK, baseUrl);
}
