/** What adapters ask for, whoever answers: the service itself through the core, or a Kontor host. */

import type { Option } from '../answers/options.ts';
import type { Kontor, Ran } from '../kontor.ts';
import type { Inputs, Pack } from '../manifest/pack.ts';
import type { LastPoll, PollOutcome } from '../poller/poll_throttle.ts';
import type { Row } from '../values/value_kinds.ts';
import type { Intent } from '../writes/intent.ts';

/** Everything raises `Problem` (`messages.ts`). Inputs are raw wherever they go in. */
export interface Backend {
	/** Raises what is wrong with the inputs of a run, before any is sent; else they are exact values. */
	check(id: string, raw: Row, intent: Intent): Promise<Inputs>;
	run(id: string, raw: Row, intent: Intent): Promise<Ran>;
	options(id: string, raw: Row): Promise<Option[]>;
	/** Polls where that is due, to the end of what is new. */
	poll(
		id: string,
		raw: Row,
		cursor: string | undefined,
		start: string,
		lastPoll?: LastPoll,
	): Promise<PollOutcome>;
}

/** Asks the service itself. */
export function serviceBackend(pack: Pack, kontor: Kontor): Backend {
	return {
		async check(id, raw, intent) {
			const action = pack.actions[id];
			return action ? (await kontor.checkRun(action, raw, intent)).inputs : {};
		},
		run: async (id, raw, intent) => await kontor.run(id, raw, intent),
		options: async (id, raw) => await kontor.options(id, raw),
		poll: async (id, raw, cursor, start, lastPoll) =>
			await kontor.poller.pollDue(id, raw, cursor, start, lastPoll),
	};
}
