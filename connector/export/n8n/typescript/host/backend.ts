/** Asks the Kontor host, which decides and remembers, with the stored credential; the core checks before. */

import type { Backend } from '../core/backend/backend';
import { hostBackend } from '../core/backend/host_backend';
import type { Ask } from '../core/host';
import { hostAsker } from '../core/host';
import type { Platform } from '../core/platform';
import { PACK } from '../pack';
import type { Context, Credential } from './platform';
import { kontorOf, send } from './platform';

export async function askerOf(context: Context): Promise<Ask> {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('kontorApi');
	return hostAsker((request) => send(context, request), PACK, baseUrl);
}

export async function backendOf(context: Context): Promise<Backend> {
	return hostBackend(PACK, await kontorOf(context), await askerOf(context), () => Date.now());
}

/** The free call that shows whether a credential is good. */
export async function freeCall({ baseUrl = '' }: Credential, callHost: Platform['send']): Promise<void> {
	await hostAsker(callHost, PACK, baseUrl)('POST', '/v1/credential/test', { body: {} });
}

export function headersOf({ apiKey = '', hostToken = '' }: Credential): Record<string, string> {
	return { 'x-api-key': apiKey, authorization: `Bearer ${hostToken}` };
}
