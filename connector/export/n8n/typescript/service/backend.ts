/** Asks the service itself, through the core. */

import type { Backend } from './platform';
import { kontorOf } from './platform';

export const backend: Backend = {
	run: async (context, id, raw) => await (await kontorOf(context)).run(id, raw),
	options: async (context, id, raw) => await (await kontorOf(context)).options(id, raw),
	poll: async (context, { id }, raw, cursor, start) => await (await kontorOf(context)).poll(id, raw, cursor, start),
};
