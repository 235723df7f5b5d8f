/** Asks the service itself, through the core. */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Backend } from '../core/backend/backend';
import { serviceBackend } from '../core/backend/backend';
import { PACK } from '../pack';
import type { Context } from './platform';
import { kontorOf } from './platform';
import { stateOf } from './state';

export async function backendOf(context: Context): Promise<Backend> {
	const execution = 'getInputData' in context ? (context as IExecuteFunctions) : undefined;
	return serviceBackend(PACK, await kontorOf(context, execution && stateOf(execution)));
}
