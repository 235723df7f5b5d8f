/** Asks the Kontor host, which decides and remembers; the core checks before. */

import type { Backend } from '../core/backend/backend';
import { hostBackend } from '../core/backend/host_backend';
import { PACK } from '../pack';
import { askerOf } from './ask';
import type { Context } from './platform';
import { kontorOf } from './platform';

export async function backendOf(context: Context): Promise<Backend> {
	return hostBackend(PACK, await kontorOf(context), await askerOf(context), () => Date.now());
}
