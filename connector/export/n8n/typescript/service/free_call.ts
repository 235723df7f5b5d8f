/** The free call that shows whether a credential for the service is good. */

import type { Platform } from '../core/platform';
import { PACK } from '../pack';
import type { Credential } from './platform';
import { kontorFor } from './platform';

export async function freeCall(credential: Credential, send: Platform['send']): Promise<void> {
	await kontorFor(credential, send).run(PACK.roles.account_list ?? '', {});
}

export function headersOf({ apiKey = '' }: Credential): Record<string, string> {
	return { 'x-api-key': apiKey };
}
