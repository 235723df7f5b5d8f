/** Fires each time the state of a row moves forward, its first one included. A state never goes back. */

import type { Progress, Series } from '../manifest/form.ts';
import type { Inputs } from '../manifest/pack.ts';
import { movesForward } from '../manifest/states.ts';
import { at } from '../manifest/templates.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import { asksAfter } from './by_id.ts';
import { Cursor, newest } from './cursor.ts';
import { numbered } from './page.ts';
import type { StrategyContext, Strategy } from './strategy.ts';

const MAX_WATCHED = 5000;

export const progress: Strategy<Progress> = {
	byNumber: true,
	skipsHistory: true,

	asks: (spec, context) => asksAfter(spec, context),

	turn(spec, { rows: shown, cut, behind }, context) {
		const [known, series] = [Cursor.read(context.cursor, context.start), seriesOf(spec, context)];
		const rows = numbered(shown);
		const watched = known.stillWaiting(rows, behind);
		const [items, came]: [Row[], string | undefined] = [[], spec.recent?.came];
		let fresh = false;
		for (const [number, row] of rows) {
			const [state, before] = [at(row, spec.field), known.waiting.get(number)];
			const firstSight = before === undefined && known.isNew(number, row, came);
			fresh ||= firstSight;
			if (typeof state !== 'string' || !state || !(before || firstSight)) continue;
			if (!movesForward(series, before, state)) continue;
			watched.set(number, state);
			const isHistory = firstSight && known.skipping;
			if (isWanted(spec, state, context.inputs) && !isHistory) items.push(itemOf(spec, row, state, before));
		}
		const open = new Map([...watched].filter(([, state]) => !series.final.includes(state)));
		const then = known.moved(rows, cut, newest(open, MAX_WATCHED), behind, came);
		return { items, cursor: then.toString(), more: known.goesOn(then), fresh };
	},

	stateless: (spec, rows, context) => progress.turn(spec, { rows, cut: false }, context).items.reverse(),
};

function seriesOf({ states }: Progress, { pack }: StrategyContext): Series {
	return pack.states[states] ?? { order: [], final: [] };
}

function isWanted({ only }: Progress, state: string, inputs: Inputs): boolean {
	return only === undefined || inputs[only] === undefined || inputs[only] === state;
}

function itemOf({ previous }: Progress, row: Row, state: string, before: string | undefined): Row {
	const told = previous === undefined ? {} : { [previous]: before ?? null };
	return { ...row, _id: `${textOf(row.id)}:${state}`, ...told };
}
