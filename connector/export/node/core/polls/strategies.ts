/** The poll strategies by name, and which one a trigger has. */

import type { TriggerCode } from '../manifest/code.ts';
import type { Manifest } from '../manifest/pack.ts';
import { alarm } from './alarm.ts';
import { byId } from './by_id.ts';
import { progress } from './progress.ts';
import { seen } from './seen.ts';
import type { Strategy } from './strategy.ts';
import { watch } from './watch.ts';

/** A trigger's strategy, and what the manifest says for it. */
export interface Polling {
	strategy: Strategy<unknown>;
	spec: unknown;
}

const STRATEGIES = { by_id: byId, progress, watch, seen, alarm } as Record<string, Strategy<unknown>>;

export function pollingOf({ id, poll = {} }: Manifest, code: TriggerCode | undefined): Polling {
	for (const [name, spec] of Object.entries(poll)) {
		const strategy = STRATEGIES[name];
		if (strategy) return { strategy, spec };
	}
	if (code) return { strategy: ownStrategy(code), spec: {} };
	throw new Error(`${id} has no poll strategy that is known here`);
}

function ownStrategy(code: TriggerCode): Strategy<unknown> {
	return {
		byNumber: false,
		asks: (_, { inputs, cursor, start, now }) => code.asks?.(inputs, cursor, start, now) ?? {},
		turn: (_, page, { inputs, cursor, start, now }) => code.turn(page, cursor, inputs, now, start),
	};
}
