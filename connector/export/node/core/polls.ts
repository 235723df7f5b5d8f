/** The poll strategies by name, and which one a trigger has. */

import { alarm } from './polls/alarm.ts';
import { byId } from './polls/by_id.ts';
import { progress } from './polls/progress.ts';
import { seen } from './polls/seen.ts';
import type { Look, Strategy } from './polls/strategy.ts';
import { watch } from './polls/watch.ts';
import type { Inputs, Manifest, Page, Row, TriggerCode, Turned } from './types.ts';

const STRATEGIES = { by_id: byId, progress, watch, seen, alarm } as Record<string, Strategy<unknown>>;

/** How one trigger is polled. */
export interface Polling {
	byNumber: boolean;
	skipsHistory: boolean;
	asks(look: Look): Inputs;
	turn(page: Page, look: Look): Turned;
	stateless?: {
		asks(look: Look): Inputs;
		items(rows: Row[], look: Look): Row[];
	};
}

export function pollingOf({ id, poll = {} }: Manifest, code: TriggerCode | undefined): Polling {
	for (const [name, spec] of Object.entries(poll)) {
		const strategy = STRATEGIES[name];
		if (strategy) return declared(strategy, spec);
	}
	if (code) return own(code);
	throw new Error(`${id} has no poll strategy that is known here`);
}

function declared(
	{ byNumber, skipsHistory = false, asks, turn, stateless }: Strategy<unknown>,
	spec: unknown,
): Polling {
	return {
		byNumber,
		skipsHistory,
		asks: (look) => asks(spec, look),
		turn: (page, look) => turn(spec, page, look),
		stateless: stateless && {
			asks: (look) => stateless.asks(spec, look),
			items: (rows, look) => stateless.items(spec, rows, look),
		},
	};
}

function own(code: TriggerCode): Polling {
	return {
		byNumber: false,
		skipsHistory: false,
		asks: ({ inputs, cursor, start, now }) => code.asks?.(inputs, cursor, start, now) ?? {},
		turn: (page, { cursor, inputs, now, start }) => code.turn(page, cursor, inputs, now, start),
	};
}
