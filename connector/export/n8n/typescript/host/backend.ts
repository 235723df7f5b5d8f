/** Runs, offers and polls through the Kontor host; what the core can check is checked before it is asked. */

import type { Option } from '../core/answers/options';
import { outputOf } from '../core/host';
import type { Inputs, Manifest } from '../core/manifest/pack';
import type { Polled } from '../core/poller/poll_throttle';
import { pollDue } from '../core/poller/poll_throttle';
import type { Row } from '../core/values/value_kinds';
import type { Intent } from '../core/writes/intent';
import { wordsOf } from '../core/writes/intent';
import { PACK } from '../pack';
import { ask } from './ask';
import type { Backend, Context } from './platform';
import { kontorOf } from './platform';

export const backend: Backend = {
	async check(context, id, raw, intent) {
		await inputsOfRun(context, id, raw, intent);
	},

	async run(context, id, raw, intent) {
		const action = PACK.actions[id];
		const inputs = await inputsOfRun(context, id, raw, intent);
		const body = { inputs, ...(action.writes ? wordsOf(intent) : {}) };
		const more = { body, writes: action.writes, timeout: timeoutOf(action) };
		const answer = await ask(context, 'POST', `/v1/actions/${id}/run`, more);
		const [warnings, replayed] = [(answer.warnings ?? []) as string[], answer.replayed === true];
		return { output: outputOf(answer) as Row, warnings, replayed };
	},

	async options(context, id, raw) {
		const body = { inputs: await checked(context, PACK.lookups[id], raw) };
		return ((await ask(context, 'POST', `/v1/lookups/${id}`, { body })).options ?? []) as Option[];
	},

	/** The host knows the free signs; the interval is kept here too. */
	async poll(context, trigger, raw, cursor, start, lastPoll) {
		const inputs = await checked(context, trigger, raw);
		const poll = async (at: string | undefined): Promise<Polled> => {
			const body = { inputs, ...(at === undefined ? { start } : { cursor: at }) };
			const more = { body, timeout: timeoutOf(trigger) };
			const polled = await ask(context, 'POST', `/v1/triggers/${trigger.id}/poll`, more);
			return { items: polled.items as Row[], cursor: String(polled.cursor), more: polled.more === true };
		};
		const throttle = trigger.throttle?.signs ? undefined : trigger.throttle;
		const source = { poll, accounts: async () => undefined, now: Date.now(), sha256: String };
		return await pollDue(source, { ...trigger, throttle }, inputs, cursor, lastPoll);
	},
};

/** What is refused here may be a run that the host knows by its key, with a date that has passed since: it decides. */
async function inputsOfRun(context: Context, id: string, raw: Row, { key }: Intent): Promise<Inputs> {
	const [action, kontor] = [PACK.actions[id], await kontorOf(context)];
	try {
		return kontor.check(action, raw).inputs;
	} catch (error) {
		if (!action.writes || key === undefined) throw error as Error;
		const inputs = kontor.read(action, raw);
		const body = { inputs, key, dry_run: true };
		await ask(context, 'POST', `/v1/actions/${id}/run`, { body }).catch(() => {
			throw error as Error;
		});
		return inputs;
	}
}

async function checked(context: Context, manifest: Manifest, raw: Row): Promise<Inputs> {
	return (await kontorOf(context)).check(manifest, raw).inputs;
}

/** The host may wait for its turn and send again: it gets twice the time of one answer, and some. */
function timeoutOf({ timeout = 30 }: Manifest): number {
	return 2000 * timeout + 30_000;
}
