/** Asks the service itself, through the core. */

import { PACK } from '../pack';
import type { Backend } from './platform';
import { kontorOf } from './platform';
import { stateOf } from './state';

export const backend: Backend = {
	async check(context, id, raw, intent) {
		await (await kontorOf(context, stateOf(context))).checkRun(PACK.actions[id], raw, intent);
	},
	run: async (context, id, raw, intent) => await (await kontorOf(context, stateOf(context))).run(id, raw, intent),
	options: async (context, id, raw) => await (await kontorOf(context)).options(id, raw),
	poll: async (context, { id }, raw, cursor, start, lastPoll) =>
		await (await kontorOf(context)).poller.pollDue(id, raw, cursor, start, lastPoll),
};
