/** Asks the service itself, through the core. */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Backend } from '../core/backend/backend';
import { serviceBackend } from '../core/backend/backend';
import type { Platform } from '../core/platform';
import { PACK } from '../pack';
import type { Context, Credential } from './platform';
import { kontorFor, kontorOf } from './platform';
import { stateOf } from './state';

export async function backendOf(context: Context): Promise<Backend> {
	const execution = 'getInputData' in context ? (context as IExecuteFunctions) : undefined;
	return serviceBackend(PACK, await kontorOf(context, execution && stateOf(execution)));
}

/** The free call that shows whether a credential is good. */
export async function freeCall(credential: Credential, send: Platform['send']): Promise<void> {
	await kontorFor(credential, send).run(PACK.roles.account_list ?? '', {});
}

export function headersOf({ apiKey = '' }: Credential): Record<string, string> {
	return { 'x-api-key': apiKey };
}
