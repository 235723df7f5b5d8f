/** Runs, offers and polls through a Kontor host; what the core can check is checked before it is asked. */

import type { Option, OptionsPage, OptionsPart } from '../answers/options.ts';
import type { Ask } from '../host.ts';
import { outputOf } from '../host.ts';
import type { Kontor } from '../kontor.ts';
import type { Inputs, Manifest, Pack } from '../manifest/pack.ts';
import { problem, sayer } from '../messages.ts';
import type { Platform } from '../platform.ts';
import type { Polled } from '../poller/poll_throttle.ts';
import { pollDue } from '../poller/poll_throttle.ts';
import type { Row } from '../values/value_kinds.ts';
import type { Intent } from '../writes/intent.ts';
import { wordsOf } from '../writes/intent.ts';
import type { Backend } from './backend.ts';

const UNKNOWN = { actions: 'action_unknown', lookups: 'lookup_unknown', triggers: 'trigger_unknown' };

/** A page of a lookup's options; the host keeps the list for a while. */
export async function hostOptions(
	pack: Pack,
	kontor: Kontor,
	ask: Ask,
	id: string,
	raw: Row,
	{ search, after, limit }: OptionsPart = {},
): Promise<OptionsPage> {
	const { inputs } = kontor.check(manifestIn(pack, 'lookups', id), raw);
	const part = { ...(search ? { search } : {}), ...(after === undefined ? {} : { after }) };
	const body = { inputs, ...part, ...(limit === undefined ? {} : { limit }) };
	const { options, next } = await ask('POST', `/v1/lookups/${id}`, { body });
	return { options: (options ?? []) as Option[], ...(next ? { next: String(next) } : {}) };
}

function manifestIn({ messages, ...declared }: Pack, kind: keyof typeof UNKNOWN, id: string): Manifest {
	const { [kind]: manifests } = declared;
	const manifest = Object.hasOwn(manifests, id) ? manifests[id] : undefined;
	if (manifest) return manifest;
	throw problem(sayer(messages), 'input', UNKNOWN[kind], { id }, { outcome: 'not_sent' });
}

export function hostBackend(pack: Pack, kontor: Kontor, ask: Ask, now: Platform['now']): Backend {
	const manifest = (kind: keyof typeof UNKNOWN, id: string): Manifest => manifestIn(pack, kind, id);

	/** The host decides: what is refused here may be a run that it knows by its key, with a date that has passed. */
	async function inputsOfRun(action: Manifest, raw: Row, { key }: Intent): Promise<Inputs> {
		try {
			return kontor.check(action, raw).inputs;
		} catch (error) {
			if (!action.writes || key === undefined) throw error as Error;
			const inputs = kontor.read(action, raw);
			const body = { inputs, key, dry_run: true };
			await ask('POST', `/v1/actions/${action.id}/run`, { body }).catch(() => {
				throw error as Error;
			});
			return inputs;
		}
	}

	return {
		check: async (id, raw, intent) => await inputsOfRun(manifest('actions', id), raw, intent),

		async run(id, raw, intent) {
			const action = manifest('actions', id);
			const inputs = await inputsOfRun(action, raw, intent);
			const body = { inputs, ...(action.writes ? wordsOf(intent) : {}) };
			const { inputs: fields, writes = false } = action;
			const more = { body, fields, writes: Boolean(writes), timeout: timeoutOf(action) };
			const answer = await ask('POST', `/v1/actions/${id}/run`, more);
			const [warnings, replayed] = [(answer.warnings ?? []) as string[], answer.replayed === true];
			const waits = answer.state === undefined ? {} : { waits: true };
			return { output: outputOf(answer) as Row, warnings, replayed, ...waits };
		},

		options: async (id, raw) => (await hostOptions(pack, kontor, ask, id, raw)).options,

		/** The host knows the free signs; the interval is kept here too. */
		async poll(id, raw, cursor, start, lastPoll) {
			const trigger = manifest('triggers', id);
			const { inputs } = kontor.check(trigger, raw);
			const poll = async (at: string | undefined): Promise<Polled> => {
				const body = { inputs, ...(at === undefined ? { start } : { cursor: at }) };
				const more = { body, fields: trigger.inputs, timeout: timeoutOf(trigger) };
				const polled = await ask('POST', `/v1/triggers/${id}/poll`, more);
				return { items: polled.items as Row[], cursor: String(polled.cursor), more: polled.more === true };
			};
			const throttle = trigger.throttle?.signs ? undefined : trigger.throttle;
			const source = { poll, accounts: async () => undefined, now: now(), sha256: String };
			return await pollDue(source, { ...trigger, throttle }, inputs, cursor, lastPoll);
		},
	};
}

/** The host may wait for its turn and send again: it gets twice the time of one answer, and some. */
function timeoutOf({ timeout = 30 }: Manifest): number {
	return 2000 * timeout + 30_000;
}
