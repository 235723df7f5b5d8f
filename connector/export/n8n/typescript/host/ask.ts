/** Asks the Kontor host with the stored credential. */

import type { Asked } from '../core/host';
import { askHost } from '../core/host';
import type { Row } from '../core/values/value_kinds';
import { PACK } from '../pack';
import type { Context } from './platform';
import { send } from './platform';

const MILLISECONDS = 60_000;

export async function ask(context: Context, method: string, path: string, more: Partial<Asked> = {}): Promise<Row> {
	const { baseUrl: host } = await context.getCredentials<{ baseUrl: string }>('kontorApi');
	const asked = { method, host, path, timeout: MILLISECONDS, ...more };
	return await askHost((request) => send(context, request), PACK, asked);
}
