/** The node that starts flows: it polls, or it takes events in. */

import type { Package } from '../../node/adapter/access.ts';
import type { Inputs } from '../../node/core/manifest/pack.ts';
import { problem } from '../../node/core/messages.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { accountOf, sayerOf } from './account.ts';
import { HostEvents } from './host_events.ts';
import { rawInputs } from './inputs.ts';
import type { Listening, Source, TriggerConfig } from './listening.ts';
import { tellError } from './listening.ts';
import { Polling } from './polling.ts';
import type { Red, RedNode } from './red.ts';
import { ServiceEvents } from './service_events.ts';
import { errorTold } from './told.ts';

interface TriggerNode extends RedNode {
	kontor?: { now?(): Promise<void> };
}

export function triggerConstructor(red: Red, kit: Package) {
	const say = sayerOf(kit);

	function listening(node: RedNode, config: TriggerConfig): Listening {
		const { triggers } = kit.pack;
		const id = config.trigger ?? '';
		const trigger = Object.hasOwn(triggers, id) ? triggers[id] : undefined;
		if (!trigger) throw problem(say, 'input', 'trigger_unknown', { id }, { field: 'trigger', outcome: 'not_sent' });
		const account = accountOf(red, say, config.account);
		const entered = async (): Promise<{ raw: Row; inputs: Inputs }> => {
			const raw = await rawInputs(red, node, say, trigger.inputs, config.inputs ?? {}, {});
			return { raw, inputs: account.access().kontor.check(trigger, raw).inputs };
		};
		return { red, kit, say, node, config, trigger, account, entered };
	}

	function sourceOf(one: Listening): Source {
		if (one.trigger.source === 'poll') return new Polling(one);
		return kit.via === 'host' ? new HostEvents(one) : new ServiceEvents(one);
	}

	return function (this: TriggerNode, config: TriggerConfig): void {
		red.nodes.createNode(this, config);
		try {
			const source = sourceOf(listening(this, config));
			this.kontor = source;
			this.on('close', (isRemoved, done) => {
				source
					.stop(isRemoved)
					.catch((error: unknown) => this.warn(errorTold(error).message))
					.finally(done);
			});
			source.start();
		} catch (error) {
			tellError(this, error);
		}
	};
}

/** What was pressed in the editor; undefined where no such trigger is deployed that can be asked. */
export function pressed(red: Red, id: string): (() => Promise<void>) | undefined {
	const { kontor } = (red.nodes.getNode(id) ?? {}) as Partial<TriggerNode>;
	return kontor?.now?.bind(kontor);
}
