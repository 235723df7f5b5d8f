/** The free call that shows whether a credential for a Kontor host is good. */

import { hostAsker } from '../core/host';
import type { Platform } from '../core/platform';
import { PACK } from '../pack';
import type { Credential } from './platform';

export async function freeCall({ baseUrl = '' }: Credential, send: Platform['send']): Promise<void> {
	await hostAsker(send, PACK, baseUrl)('POST', '/v1/credential/test', { body: {} });
}

export function headersOf({ apiKey = '', hostToken = '' }: Credential): Record<string, string> {
	return { 'x-api-key': apiKey, authorization: `Bearer ${hostToken}` };
}
